"""Signs that the server refused users instead of serving them slowly."""

from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.saturation import Saturation
from headcount.analyse.diagnosis.sign import Sign, figure
from headcount.analyse.diagnosis.thresholds import between, threshold
from headcount.bundle.diagnosis import Figure
from headcount.text import count, share, significant

SHARE = "load.refused"
SERVED = "load.served"
GROWTH = "load.response_growth"
RATE = "load.accepted"
DESCRIPTORS = "process.open_file_descriptors.utilization"
ACCEPT = "socket.accept_queue"
BACKLOG = "socket.accept_queue.limit"
FULLEST = "socket.accept_queue.utilization"
DROPPED = "system.network.tcp.listen_overflows"
ABOVE_A_RATE = "rate"
"""The kind of refusals that a rate limit causes."""
MOSTLY = 0.5
"""Share of faults that name a rate, from which a rate limit is what refuses."""
FULL_QUEUE = (0.5, 0.9)
"""Mean share of the accept queue in use: below, it is full in bursts, which a longer one holds.
Above, it is full all the time, because the server has no place for another connection."""
OTHER_ERRORS = 2.0
"""Refused users or scenarios per dropped connection, above which the queue is not why."""
FULL_SHARE = 0.05
"""Share of refused users or scenarios at which the score is 1."""
LIMITS = (
    ("postgresql.backends", "postgresql.connection.max", "connections"),
    ("mail.sessions", "mail.sessions.limit", "sessions"),
    ("web.connections", "web.connections.limit", "connections"),
    ("process.count", "samba.processes.limit", "processes"),
    ("haproxy.connections", "haproxy.connections.limit", "connections of HAProxy (maxconn)"),
    ("redis.clients", "redis.clients.limit", "connections of Redis (maxclients)"),
)
"""Figures of a server, and their limits."""
CLOSED = "web.connections.dropped"
NEAR = 0.9
"""Share of such a limit from which it is named: some places are for the server's own use."""


def signs(level: Observation, seen: Saturation, taken: float = 0.0) -> Sign:
    """How surely users were refused while those accepted were served as fast as ever.

    For a server that is slow and therefore drops connections, refusals are only a symptom of
    another limit. The same holds if nobody is served at all: a limit on sessions lets some users
    in, a dead server none. Only a rate limit that also counts what it refuses, and says so, lets
    nobody in. Errors are always counted, so this is always observed. `taken` is the strongest sign
    of a resource.
    """
    light, least = seen.light, threshold("refusal.share")
    grown = _growth(level, light)
    is_fast = grown is None or grown <= threshold("refusal.growth")
    if level.limited and taken < threshold("decide.score"):
        is_fast = True  # the times include those in which the generator had no CPU
    refused, text = level.refused, f"{share(level.refused)} of users or scenarios were refused"
    more_users = light is not None and light.users < level.users
    if more_users and is_fast and level.unserved > refused:
        # A server without a place for a connection may leave it waiting, without any error.
        refused, text = level.unserved, f"{share(level.unserved)} of users never got an answer"
    score = 0.0
    figures = [figure(level, SHARE, refused, text, threshold=least, side="load", unit="1")]
    rate = _rate(level, seen) if refused > least else None
    if refused > least and not level.per_s and rate is None:
        figures.insert(0, _nobody(level))
    elif refused > least:
        score = 0.6 + 0.4 * min((refused - least) / (FULL_SHARE - least), 1.0)
    if grown is not None:
        figures.append(_waited(level, grown))
    if not is_fast:
        score *= 0.6
    detail, reason, certain = _at_the_door(level, taken)
    if detail is None and rate is not None:
        detail = ABOVE_A_RATE
        figures[0] = rate
    if reason is not None:
        is_why = detail is not None or not score
        figures.insert(0 if is_why else len(figures), reason)
        score = max(score, certain)
    size, unit = _accepted(level, detail) if score else (None, None)
    return Sign("refusal", detail, score, (*_reported(level), *figures), size, unit)


def _reported(level: Observation) -> list[Figure]:
    """The server's own reported limits that are nearly used up."""
    found = []
    closed = level.mean(CLOSED)
    if closed:
        text = f"nginx closed {significant(closed)} connections/s at once: worker_connections"
        found.append(figure(level, CLOSED, closed, f"{text} are used up"))
    for used, most, noun in LIMITS:
        there, limit = level.mean(used), level.mean(most)
        if there is not None and limit and there >= NEAR * limit:
            text = f"{count(there)} of {count(limit)} {noun} were in use"
            found.append(figure(level, used, there, text, threshold=limit))
    return found


def _rate(level: Observation, seen: Saturation) -> Figure | None:
    """The figure of a rate limit that refuses; None if nothing shows one.

    The server's own message suffices. Otherwise it must accept the same amount at all levels at
    which it refuses, and so little that not even one place is busy all the time: a limit on
    concurrent connections or requests would accept more.
    """
    if level.rated >= MOSTLY:
        text = f"{share(level.refused)} of scenarios were refused"
        text += "; the server says that a rate was exceeded"
        return figure(level, RATE, level.per_s, text, side="load", unit="{scenario}/s")
    refusing = [one for one in seen.levels if one.refused > threshold("refusal.share")]
    users = [one.users for one in refusing]
    if not users or max(users) < threshold("levels.apart") * min(users):
        return None
    rates = [one.per_s for one in refusing]
    at_a_time = max(one.under_way or 0.0 for one in refusing)
    if not min(rates) or min(rates) < threshold("knee.share") * max(rates):
        return None
    if at_a_time >= threshold("limiter.high"):
        return None
    text = (
        f"{significant(level.per_s)} scenarios/s were accepted, however many users came "
        f"({significant(at_a_time)} in progress at a time), and {share(level.refused)} were refused"
    )
    return figure(level, RATE, level.per_s, text, side="load", unit="{scenario}/s")


def _accepted(level: Observation, detail: str | None) -> tuple[float | None, str | None]:
    """What is accepted: scenarios/s, users, or concurrent scenarios if all users get some."""
    if detail == ABOVE_A_RATE:
        return (level.per_s, "{scenario}/s") if level.per_s else (None, None)
    if level.served is None:
        return None, None
    if level.served < level.users or not level.under_way:
        return float(level.served), "{user}"
    return level.under_way, "{scenario}"


def _at_the_door(level: Observation, taken: float) -> tuple[str | None, Figure | None, float]:
    """Connections that never reach the program: the kind, its figure, and how sure it is.

    The kernel drops connections that find the accept queue full, and a process without a free
    descriptor accepts none. Both leave clients waiting without an error. If a resource is full,
    that is why nobody accepts.
    """
    used, queued = level.mean(DESCRIPTORS), level.mean(ACCEPT) or 0.0
    if used is not None and used >= threshold("refusal.descriptors"):
        text = f"its fullest process used {share(used)} of its file descriptors (ulimit -n)"
        shown = figure(level, DESCRIPTORS, used, text, threshold=threshold("refusal.descriptors"))
        # A process without a free descriptor retries accept() in a loop, so its busy thread is
        # not the limit.
        return "descriptors", shown, 1.0 if queued or level.unserved else 0.0
    dropped = level.mean(DROPPED)
    if dropped:
        part = dropped / (dropped + level.per_s)
        least = threshold("refusal.backlog")
        if part >= least and level.mean(FULLEST):
            text = f"the kernel dropped {significant(dropped)} connections/s: accept queue full"
            limit = level.mean(BACKLOG)
            text += f" (at most {count(limit)} wait)" if limit else ""
            shown = figure(level, DROPPED, dropped, text, threshold=least * level.per_s)
            in_bursts = 1 - between(queued / limit, *FULL_QUEUE) if limit else 1.0
            score = between(part, least / 2, 4 * least) * max(1 - taken, 0.0) * in_bursts
            # Clients of dropped connections try again, without an error: many more errors have
            # another cause.
            is_it = in_bursts and level.refused <= OTHER_ERRORS * part
            return ("backlog", shown, score) if is_it else (None, shown, 0.0)
    return None, None, 0.0


def _growth(level: Observation, light: Observation | None) -> float | None:
    """Response time of those accepted relative to the fewest users; None if it is not known."""
    if light is None or not light.service_s or level.service_s is None:
        return None
    return level.service_s / light.service_s


def _waited(level: Observation, grown: float) -> Figure:
    text = f"accepted users waited {significant(grown)} times as long as with few users"
    least = threshold("refusal.growth")
    return figure(level, GROWTH, grown, text, threshold=least, side="load", unit="1")


def _nobody(level: Observation) -> Figure:
    text = "no scenario was completed: the server had stopped answering"
    return figure(level, SERVED, 0.0, text, side="load", unit="{scenario}/s")
