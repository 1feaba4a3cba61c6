"""Whether a level broke in a way that the load generator cannot have caused."""

from collections.abc import Sequence

from headcount.bundle.level import FaultResult
from headcount.plan.criteria import Criterion

WAITED = "timeout"
"""The only kind of fault that a generator makes by itself when it has too little CPU or is late."""


def outright(
    criteria: Sequence[Criterion], faults: Sequence[FaultResult], completed: int, failed: int
) -> bool:
    """Whether refusals, broken connections and the like are alone more than a criterion allows.

    Such a level has failed and counts, however late the generator's timers were: a server that is
    dead, or out of connections, is not so for want of punctual users. `completed` and `failed` are
    those of all scenarios.
    """
    allowed = [one.limit for one in criteria if one.metric == "errors" and one.scenario is None]
    if not allowed:
        return False
    unasked = sum(fault.count for fault in faults if fault.kind != WAITED)
    return unasked > min(allowed) * (completed + failed)
