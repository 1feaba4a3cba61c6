"""Reasons to doubt a diagnosis."""

from collections.abc import Sequence

from headcount.analyse.diagnosis.confidence import drift, still_bends
from headcount.analyse.diagnosis.decide import Decision
from headcount.analyse.diagnosis.evidence import cpu
from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.others import others_text
from headcount.analyse.diagnosis.thresholds import threshold
from headcount.analyse.diagnosis.weigh import Weighed
from headcount.text import plural, share, significant

SAME = 1.02
"""Ratio of users up to which two levels count as the same."""


def doubts(decision: Decision, weighed: Weighed, observations: Sequence[Observation]) -> list[str]:
    """The doubts, one sentence each."""
    made = [
        _dead(observations) if weighed.killed is None else None,
        _bending(decision, weighed) if weighed.killed is None else None,
        _drift(observations),
        others_text(decision, weighed),
        _shared(decision, weighed),
        _unattributed_use(decision, weighed),
    ]
    return [one for one in made if one is not None]


def _dead(observations: Sequence[Observation]) -> str | None:
    """Levels that served nobody, with more users than levels that served some."""
    dead = [o.users for o in observations if not o.per_s and o.refused > threshold("refusal.share")]
    if not dead or not any(o.per_s for o in observations):
        return None
    return (
        f"at {plural('user', min(dead))} it stopped answering: check its log and the kernel's "
        "for a crash or a lack of memory"
    )


def _bending(decision: Decision, weighed: Weighed) -> str | None:
    slope = weighed.seen.elasticity
    if slope is None and decision.limit not in ("unknown", "refusal", "generator"):
        return (
            "no two levels are far enough apart to tell whether more users would have brought "
            "more throughput"
        )
    if slope is None or not still_bends(decision, weighed):
        return None
    return (
        f"throughput still grew a little at the top ({significant(slope)}% per 1% of users): "
        "add levels with more users"
    )


def _drift(observations: Sequence[Observation]) -> str | None:
    """Levels with the same users must agree."""
    apart, users = drift(observations)
    if apart <= threshold("drift"):
        return None
    return (
        f"two levels with {plural('user', users)} differ in throughput by {share(apart)}: "
        "the machine changed in between (neighbours, caches warming up)"
    )


def _shared(decision: Decision, weighed: Weighed) -> str | None:
    """A generator that uses CPU which the server lacks."""
    if decision.limit != "cpu" or not weighed.seen.levels:
        return None
    used = cpu.cores(weighed.seen.levels[-1])
    if used.there is None or used.generator is None or used.server is None:
        return None
    if used.generator < threshold("cpu.foreign") * used.there:
        return None
    return (
        f"the load generator itself used {significant(used.generator)} of the "
        f"{plural('CPU', used.there)}, the server {significant(used.server)}: with the generator "
        "on another machine the server would hold more"
    )


def _unattributed_use(decision: Decision, weighed: Weighed) -> str | None:
    """A machine without idle CPU, if no counter shows how much of it the server used."""
    if decision.limit != "cpu" or not weighed.seen.levels or decision.sign is None:
        return None
    if decision.sign.detail != "all cores":
        return None
    if cpu.cores(weighed.seen.levels[-1]).server is not None:
        return None
    return (
        "the counters do not tell the server's CPU time from that of other programs: on the "
        "server's machine, run Headcount as root or give --pid"
    )
