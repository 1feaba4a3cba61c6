"""Levels far from every limit."""

from collections.abc import Sequence

from headcount.analyse.search.observation import Observation
from headcount.analyse.search.overruled import passes_by_far

SLOWER = 1.5
"""Times the mean response of the level with the fewest users, up to which a server is not busy. With
Poisson arrivals one processor is two thirds as fast when it is busy a third of the time, many not
before they nearly all are."""


def is_light(levels: Sequence[Observation], level: Observation) -> bool:
    """Whether a level is far from every limit, and hardly slower than the lightest of the levels."""
    lightest = min(levels, key=lambda one: one.users, default=level)
    return (
        passes_by_far(level)
        and not level.stalls
        and level.response_mean_s <= SLOWER * lightest.response_mean_s
    )
