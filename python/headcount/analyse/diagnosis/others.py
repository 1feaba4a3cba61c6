"""Other users of the same server: what it did before the first user of the run."""

from collections.abc import Mapping

from headcount.analyse.diagnosis.decide import Decision
from headcount.analyse.diagnosis.evidence import cpu
from headcount.analyse.diagnosis.thresholds import threshold
from headcount.analyse.diagnosis.weigh import Weighed
from headcount.text import share, significant

OTHERS = "others"
"""The kind of advice for a server that others use too."""
WHOLE = ("all cores", "one thread", "a few threads", "one process")
"""Details of limits to which others' requests add. A quota or neighbours come first."""


def cpus_before(before: Mapping[str, float]) -> float | None:
    """CPUs that the server used before the first user; None if unknown."""
    return before.get(cpu.GROUP, before.get(cpu.OWN))


def others_share(decision: Decision, weighed: Weighed) -> float | None:
    """The share of the CPU used at the limit that the server used before the first user.

    Servers behind it count at the limit only, so the share is rather too small. None if the limit
    is not of this kind, or if the share is small or unknown.
    """
    sign, levels = decision.sign, weighed.seen.levels
    if sign is None or sign.limit not in ("cpu", "thread") or sign.detail not in WHOLE:
        return None
    used = cpu.cores(levels[-1]).server if levels else None
    before = cpus_before(weighed.known.before)
    if not used or before is None:
        return None
    part = min(before / used, 1.0)
    return part if part >= threshold("others.share") else None


def others_text(decision: Decision, weighed: Weighed) -> str | None:
    """A sentence that others use the server; None if they do not, or hardly."""
    part = others_share(decision, weighed)
    before = cpus_before(weighed.known.before)
    if part is None or before is None:
        return None
    return (
        f"others use this server, too: before the first user it used {significant(before)} CPUs, "
        f"{share(part)} of what it used at its limit"
    )
