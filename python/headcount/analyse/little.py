"""Little's law at each level: users = throughput x (response time + think time).

It holds for any stable system whatever its distributions, so a level that breaks it has lost users,
a wrong clock or miscounted think times.
"""

import math
from dataclasses import dataclass

from headcount.analyse.window import Window

TOLERANCE = 0.01
"""Relative error that rounding explains."""


@dataclass(frozen=True, slots=True)
class Little:
    """The law, checked. `error` is relative to the users; `tolerance` what chance explains."""

    think_mean_s: float
    error: float
    tolerance: float


def check(window: Window, users: int) -> Little | None:
    """Check the law for a closed pace; None when nothing ended in the window.

    Those who wait for an answer at an end of the window are counted for the time they waited
    within it; a frozen server breaks no law. Think times that overlap the ends are counted whole at
    one end and not at all at the other. That adds the noise of about `users` cycles, twice: a
    standard error of (response + think) x sqrt(2 x users) user-seconds out of users x seconds.
    Four of them, and one percent, are tolerated: cycles have long tails, levels may be short.
    """
    pool = window.pool()
    ended = pool.completed + pool.failed
    if not ended or not users or window.seconds <= 0:
        return None
    think_s = sum(interval.think_s for interval in window.intervals)
    offered_s = users * window.seconds
    cycle_s = (pool.sum(lambda count: count.response_s) + think_s) / ended
    edge = cycle_s * math.sqrt(2 * users) / offered_s
    error = (pool.waited_s() + think_s) / offered_s - 1
    return Little(think_s / ended, error, TOLERANCE + 4 * edge)
