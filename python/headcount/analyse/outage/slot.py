"""What users met in a slot of time of some milliseconds."""

from typing import NamedTuple


class Slot(NamedTuple):
    """Counts of one slot, in the order in which the engine gives them.

    Attributes:
        at_s: Where it begins, in seconds of the run's clock.
        completed: Scenarios that ended in it without an error.
        slow: Of those, how many were slow or late.
        failed: Scenarios that ended in it with an error.
        kept: Scenarios that were due in it and completed within their limit.
        missed: Scenarios that were due in it and failed, were slow or late.
        opened: Sessions that were opened in it.

    """

    at_s: float
    completed: int
    slow: int
    failed: int
    kept: int
    missed: int
    opened: int
