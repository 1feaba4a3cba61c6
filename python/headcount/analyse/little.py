"""Little's law at each level: users = throughput x (response time + think time).

It holds for any stable system whatever its distributions, so a level that breaks it has lost users,
a wrong clock or miscounted think times.
"""

from dataclasses import dataclass

from headcount.analyse.window import Window

TOLERANCE = 0.01
"""Relative error that rounding explains."""
REPORTS_S = 0.05
"""How far apart, in seconds, workers may report the same second on a busy machine."""


@dataclass(frozen=True, slots=True)
class Little:
    """The checked law. `error` is relative to the users; `tolerance` is what chance explains."""

    think_mean_s: float
    error: float
    tolerance: float


def check(window: Window, users: int) -> Little | None:
    """Check the law for a closed pace; None if nothing ended in the window.

    A user who waits for an answer at either end of the window counts for the time waited within it,
    so a frozen server does not break the law. Pauses that overlap an end also count for their part
    within the window, because they may be longer than it. What remains is rounding, and the fact
    that workers do not all report a second at the same moment. Users who were opening a session did
    neither: they count for that time, as known from the ends of the seconds.
    """
    pool = window.pool()
    ended = pool.completed + pool.failed
    if not ended or not users or window.seconds <= 0:
        return None
    think_s = sum(interval.think_s for interval in window.sums)
    offered_s = users * window.seconds
    accounted_s = pool.waited_s() + think_s + window.logging_on * window.seconds
    error = accounted_s / offered_s - 1
    return Little(think_s / ended, error, TOLERANCE + REPORTS_S / window.seconds)
