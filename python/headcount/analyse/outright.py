"""Whether a level broke in a way that the load generator cannot have caused."""

from collections.abc import Sequence

from headcount.bundle.level import FaultResult
from headcount.plan.criteria import Criterion

WRONG_DATA = "wrong-data"
"""The kind of fault that no criterion can allow."""
WAITED = "timeout"
"""The only kind of fault that a generator makes by itself when it has too little CPU or is late."""


def has_failed_outright(
    criteria: Sequence[Criterion], faults: Sequence[FaultResult], completed: int, failed: int
) -> bool:
    """Whether refusals, broken connections and the like are alone more than a criterion allows.

    So is wrong data, read once. Such a level has failed and counts, however late the generator's
    timers were: a server that is dead, or out of connections, or mixes data up, is not so for want
    of punctual users. `completed` and `failed` are those of all scenarios.
    """
    if any(fault.kind == WRONG_DATA for fault in faults):
        return True
    allowed = [one.limit for one in criteria if one.metric == "errors" and one.scenario is None]
    if not allowed:
        return False
    unasked = sum(fault.count for fault in faults if fault.kind != WAITED)
    return unasked > min(allowed) * (completed + failed)
