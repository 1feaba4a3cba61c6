"""Levels far from every limit."""

from collections.abc import Sequence

from headcount.analyse.search.observation import Observation
from headcount.analyse.search.overruled import passes_by_far

SLOWER = 1.5
"""A server is not busy up to so many times the mean response of the level with the fewest users.
One processor with Poisson arrivals is that much slower when it is busy a third of the time (M/M/1);
many are not before nearly all of them are busy."""


def is_light(levels: Sequence[Observation], level: Observation) -> bool:
    """Whether a level is far from every limit, and hardly slower than the lightest level."""
    lightest = min(levels, key=lambda one: one.users, default=level)
    return (
        passes_by_far(level)
        and not level.stalls
        and level.response_mean_s <= SLOWER * lightest.response_mean_s
    )
