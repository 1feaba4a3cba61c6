"""Whether a level broke in a way that the load generator cannot have caused."""

from collections.abc import Sequence

from headcount.bundle.level import FaultResult
from headcount.plan.criteria import Criterion

WRONG_DATA = "wrong-data"
"""The kind of fault that no criterion allows."""
WAITED = "timeout"
"""The only fault that a generator causes itself, if it lacks CPU or its timers are late."""


def has_failed_outright(
    criteria: Sequence[Criterion], faults: Sequence[FaultResult], completed: int, failed: int
) -> bool:
    """Whether refusals, broken connections and similar faults alone exceed what a criterion allows.

    A single read of wrong data does as well. Such a level has failed and counts, however late the
    generator's timers were: late users do not make a server crash, run out of connections or mix up
    data. `completed` and `failed` cover all scenarios.
    """
    if any(fault.kind == WRONG_DATA for fault in faults):
        return True
    allowed = [one.limit for one in criteria if one.metric == "errors" and one.scenario is None]
    if not allowed:
        return False
    unasked = sum(fault.count for fault in faults if fault.kind != WAITED)
    return unasked > min(allowed) * (completed + failed)
