"""`less` and `nudge`: whether throughput follows when a resource is cut."""

from collections.abc import Sequence

from headcount.analyse.elasticity import elasticity
from headcount.analyse.experiments.limits import LOADED, UNLOADED, ordered
from headcount.analyse.experiments.rounds import rounds_of
from headcount.bundle.confirmation import Estimate, Finding, Turn
from headcount.bundle.diagnosis import Limit

WHOLE, PART = "all of it", "cut"
ARMS = (WHOLE, PART)
SENSITIVITY = "throughput.sensitivity"


def judge(
    turns: Sequence[Turn], name: str, limit: Limit, resource: str, cut: float
) -> Finding | None:
    """The finding of `resource` cut to the part `cut`; None with too few rounds.

    If throughput follows one resource, it does not follow another, and limits of the program leave
    all resources idle.
    """
    rounds = rounds_of(turns, ARMS)
    found = elasticity([(one[WHOLE].rate_per_s, one[PART].rate_per_s) for one in rounds], cut)
    if found is None:
        return None
    sentence = (
        f"throughput sensitivity with {cut:.0%} of {resource}: {found.value:.2f} "
        f"({found.low:.2f} to {found.high:.2f}); 1 is a limit, 0 is none"
    )
    follows, stays = found.answer == "confirmed", found.answer == "refuted"
    estimate = Estimate(
        name=SENSITIVITY,
        value=found.value,
        low=found.low,
        high=found.high,
        unit="1",
        sentence=sentence,
    )
    others = ordered((LOADED | UNLOADED) - {limit})
    return Finding(
        experiment=name,
        supports=[limit] if follows else ordered(LOADED - {limit}) if stays else [],
        contradicts=others if follows else [limit] if stays else [],
        direct=[limit] if follows else [],
        size=None,
        size_unit=None,
        estimates=[estimate],
        sentence=sentence,
        turns=list(turns),
    )
