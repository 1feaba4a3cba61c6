"""Levels far from every limit."""

from collections.abc import Sequence

from headcount.analyse.search.observation import Observation
from headcount.analyse.search.overruled import passes_by_far

SLOWER = 1.5
"""A server is not busy up to this many times the mean response of the levels with fewer users. One
processor with Poisson arrivals is that much slower when it is busy a third of the time (M/M/1);
many processors are not until nearly all of them are busy."""


def is_light(levels: Sequence[Observation], level: Observation) -> bool:
    """Whether a level is far from every limit, and hardly slower than those with fewer users."""
    lighter = [one for one in levels if one.users < level.users]
    requests = sum(one.throughput_per_s * one.measure_s for one in lighter)
    usual_s = (
        sum(one.response_mean_s * one.throughput_per_s * one.measure_s for one in lighter)
        / requests
        if requests
        else level.response_mean_s
    )
    return passes_by_far(level) and not level.stalls and level.response_mean_s <= SLOWER * usual_s
