"""The confidence of a diagnosis: a share from 0 to 1, and a word."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from headcount.analyse.diagnosis.decide import SOFTWARE, Decision, decide
from headcount.analyse.diagnosis.evidence import cpu, disk, path
from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.regularity import is_regular
from headcount.analyse.diagnosis.resample import draws
from headcount.analyse.diagnosis.thresholds import between, threshold
from headcount.analyse.diagnosis.weigh import RESOURCES, Weighed, weigh
from headcount.bundle.diagnosis import Confidence, Limit

BY_THROUGHPUT = (("pool", "inside the program"), ("lock", None))
"""Limits and kinds that only throughput shows."""
TIMES = 60
"""Resamplings: enough for an error of at most 0.06 in the share that agrees."""


def confidence(
    decision: Decision,
    weighed: Weighed,
    observations: Sequence[Observation],
    measured: Mapping[int, Sequence[Mapping[str, Any]]],
) -> float:
    """Combine the evidence, the lead over the next, the agreement of resamplings, and blind spots.

    For a kill the kernel's count suffices: it has no rivals, and throughput need not flatten.
    """
    if decision.limit == "unknown":
        return 0.0
    if weighed.killed is not None:
        return round(_evidence(decision, weighed), 3)
    sure = _evidence(decision, weighed) * _lead(decision, weighed)
    sure *= _agreement(decision, weighed, observations, measured)
    if decision.limit != "none":
        if decision.saturated is None and decision.limit not in ("refusal", "generator"):
            sure *= threshold("sure.one_level")
        elif still_bends(decision, weighed):
            sure *= threshold("sure.bending")
    if could_be_a_rate(decision, weighed, measured):
        sure *= threshold("sure.regular")
    if _is_of_load(decision) and drift(observations)[0] > threshold("drift"):
        sure *= threshold("sure.drift")
    if is_indirect(decision, weighed):
        sure *= threshold("sure.indirect")
    return round(sure * threshold("sure.unseen") ** len(rivals_not_observed(decision, weighed)), 3)


def still_bends(decision: Decision, weighed: Weighed) -> bool:
    """Whether throughput still grew a little where it should be flat.

    A cause that slows scenarios down at any number of users does not stop throughput from growing.
    """
    if decision.limit == "none" or weighed.slow is decision.sign is not None:
        return False
    return (weighed.seen.elasticity or 0.0) > threshold("elasticity.saturated")


def could_be_a_rate(
    decision: Decision, weighed: Weighed, measured: Mapping[int, Sequence[Mapping[str, Any]]]
) -> bool:
    """Whether what looks like a pool or a serial section inside the program may be a rate limit.

    No counter shows anybody waiting for a place there, or for a lock.
    """
    if decision.sign is None:
        return False
    if (decision.limit, decision.sign.detail) not in BY_THROUGHPUT:
        return False
    return is_regular(weighed.seen, measured)


def _is_of_load(decision: Decision) -> bool:
    """Whether only what the users got shows the limit, and no counter of the server."""
    return decision.sign is not None and all(one.side == "load" for one in decision.sign.figures)


def drift(observations: Sequence[Observation]) -> tuple[float, int]:
    """How much the throughput of two levels with the same users differs at most, and the users."""
    worst: tuple[float, int] = (0.0, 0)
    valid = sorted((o for o in observations if o.valid and o.per_s > 0), key=lambda o: o.index)
    for first, second in itertools.combinations(valid, 2):
        if second.users == first.users:
            worst = max(worst, (abs(second.per_s / first.per_s - 1), first.users))
    return worst


def is_indirect(decision: Decision, weighed: Weighed) -> bool:
    """Whether only the whole machine, not the server, is known to have waited.

    If others use the machine as well, that is not the same. The threads' own wait times for a CPU
    are no better there: threads that wake at once each count the same wait.
    """
    if decision.sign is None or decision.limit not in ("cpu", "disk"):
        return False
    if decision.sign.detail == "quota":
        return False  # of its own group, or of one that throttles its threads
    counters = {figure.counter for figure in decision.sign.figures}
    if decision.limit == "disk":
        return not counters & {disk.SOME, disk.BLOCKED, disk.FLUSHING}
    if counters & {cpu.THROTTLED, cpu.PRESSURE} or not weighed.seen.levels:
        return False
    used = cpu.cores(weighed.seen.levels[-1])
    return (
        used.server is None or not used.there or used.server < threshold("cpu.mostly") * used.there
    )


def confidence_word(sure: float) -> Confidence:
    """The confidence in a word."""
    if sure >= threshold("confidence.high"):
        return "high"
    return "fair" if sure >= threshold("confidence.fair") else "low"


def rivals_not_observed(decision: Decision, weighed: Weighed) -> list[Limit]:
    """Possible limits that no counter would have shown.

    A resource that was waited for nearly all the time leaves no room for another.
    """
    if decision.limit in ("none", "generator", "refusal", "unknown"):
        return []
    if decision.sign is not None and path.is_of(decision.sign):
        return []  # TCP counts its own waits
    clear = decision.sign is not None and decision.sign.score >= 0.8 and decision.limit in RESOURCES
    if clear:
        return ["memory"] if decision.limit == "disk" and "memory" not in weighed.signs else []
    return [limit for limit in RESOURCES if limit not in weighed.signs]


def _evidence(decision: Decision, weighed: Weighed) -> float:
    if decision.sign is None:
        # Not saturated: the evidence is how closely throughput grew with the users.
        slope = weighed.seen.elasticity or 0.0
        return 0.5 + 0.47 * between(slope, threshold("elasticity.unsaturated"), 0.9)
    score = decision.sign.score
    if decision.limit in SOFTWARE:
        return 0.4 + 0.57 * between(score, threshold("decide.software"), 0.7)
    return 0.5 + 0.47 * between(score, threshold("decide.score"), 0.75)


def _lead(decision: Decision, weighed: Weighed) -> float:
    """From 0.6 without a lead to 1 with a lead of 0.3; limits named as joint are not rivals."""
    if decision.sign is None:
        return 1.0
    named = {decision.limit, *(sign.limit for sign in decision.joint)}
    if decision.sign is weighed.refused:
        named.add("generator")  # however busy, it makes no server refuse anybody
    rivals = [sign.score for sign in decision.ranked if sign.limit not in named]
    if decision.limit in (*RESOURCES, "generator", "refusal") or decision.saturated is False:
        rivals = [
            sign.score
            for sign in decision.ranked
            if sign.limit not in named and sign.limit not in SOFTWARE
        ]
    lead = decision.sign.score - max(rivals, default=0.0)
    return 0.6 + 0.4 * between(lead, 0.0, 0.3)


def _agreement(
    decision: Decision,
    weighed: Weighed,
    observations: Sequence[Observation],
    measured: Mapping[int, Sequence[Mapping[str, Any]]],
) -> float:
    if not measured:
        return threshold("sure.unmeasured")
    named = {decision.limit, *(sign.limit for sign in decision.joint)}
    found = [
        decide(weigh(drawn, weighed.known)).limit for drawn in draws(observations, measured, TIMES)
    ]
    return sum(limit in named for limit in found) / len(found)
