"""Signs that the server turned users away instead of serving them slowly."""

from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.sign import Sign, figure
from headcount.analyse.diagnosis.thresholds import threshold
from headcount.bundle.diagnosis import Figure
from headcount.text import count, share, significant

SHARE = "load.refused"
SERVED = "load.served"
GROWTH = "load.response_growth"
FULL_SHARE = 0.05
"""Share turned away from which a server surely refuses."""
LIMITS = (
    ("postgresql.backends", "postgresql.connection.max", "connections"),
    ("mail.sessions", "mail.sessions.limit", "sessions"),
    ("web.connections", "web.connections.limit", "connections"),
    ("process.count", "samba.processes.limit", "processes"),
)
"""What a server holds, and the most that it may hold."""
NEAR = 0.9
"""Share of such a limit from which it is named: some places are for the server's own use."""


def signs(level: Observation, light: Observation | None) -> Sign:
    """How surely users were turned away while those let in were served as ever.

    A server that is slow and drops connections for it has another limit: refusals are then a
    symptom. So they are where nobody is served at all: a limit on sessions lets some in, a server
    that has died none. Errors are always counted, so this is never unseen.
    """
    least = threshold("refusal.share")
    score = 0.0
    said = f"{share(level.refused)} of the users or scenarios were turned away"
    figures = [figure(level, SHARE, level.refused, said, threshold=least, side="load", unit="1")]
    if level.refused > least and not level.per_s:
        figures.insert(0, _nobody(level))
    elif level.refused > least:
        score = 0.6 + 0.4 * min((level.refused - least) / (FULL_SHARE - least), 1.0)
    if light is not None and light.service_s and level.service_s is not None:
        grown = level.service_s / light.service_s
        said = f"those served were served {significant(grown)} times as slowly as the fewest users"
        told = figure(
            level,
            GROWTH,
            grown,
            said,
            threshold=threshold("refusal.growth"),
            side="load",
            unit="1",
        )
        figures.append(told)
        if grown > threshold("refusal.growth"):
            score *= 0.6
    for used, most, noun in LIMITS:
        there, limit = level.mean(used), level.mean(most)
        if there is not None and limit and there >= NEAR * limit:
            said = f"{count(there)} of {count(limit)} {noun} were in use"
            figures.insert(0, figure(level, used, there, said, threshold=limit))
    let_in = float(level.served) if level.served is not None and score else None
    return Sign(
        "refusal", None, score, tuple(figures), let_in, "{user}" if let_in is not None else None
    )


def _nobody(level: Observation) -> Figure:
    said = "nobody was served any more: it had stopped answering"
    return figure(level, SERVED, 0.0, said, side="load", unit="{scenario}/s")
