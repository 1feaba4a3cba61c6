"""Little's law at each level: users = throughput x (response time + think time).

It holds for any stable system whatever its distributions, so a level that breaks it has lost users,
a wrong clock or miscounted think times.
"""

from dataclasses import dataclass

from headcount.analyse.window import Window

TOLERANCE = 0.01
"""Relative error that rounding explains."""
REPORTS_S = 0.05
"""How far the reports of workers that belong together may lie apart on a busy machine."""


@dataclass(frozen=True, slots=True)
class Little:
    """The law, checked. `error` is relative to the users; `tolerance` what chance explains."""

    think_mean_s: float
    error: float
    tolerance: float


def check(window: Window, users: int) -> Little | None:
    """Check the law for a closed pace; None when nothing ended in the window.

    Those who wait for an answer at an end of the window are counted for the time they waited
    within it; a frozen server breaks no law. Pauses that overlap the ends are counted for the part
    within it too, for they may be longer than the window. What is left is rounding, and that the
    workers of a second do not all report at the same moment. Users who were opening their session
    did neither: they count for that time, as known from the ends of the seconds.
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
