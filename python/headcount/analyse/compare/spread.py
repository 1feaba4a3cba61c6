"""How much a figure usually differs from run to run, where only one run of a side was made.

A level's sections show how exactly that level was measured, not how much another run would differ:
memory is laid out differently, caches are filled differently, a neighbour is busier. One run of
each side cannot show that by itself. What is known then is how much runs of one configuration
usually differ in speed, and how much a figure answers to that.
"""

import math
from collections.abc import Mapping, Sequence

from headcount.analyse.compare.measured import Measured

USUAL = 0.02
"""Usual standard deviation, from run to run, of the speed of a server on a quiet machine.

Simulations of this project's search take 1 %; published spreads of repeated runs on quiet machines
lie between 1 and 3 %.
"""
STEEPEST = 25.0
"""More than so many per cent of response time for one of load are a jump between two levels, not a
slope."""


def usual_spread(metric: str, at: Sequence[Measured], others: Sequence[Measured]) -> float:
    """Usual standard deviation of the logarithm of a metric from run to run.

    A server that is slower by one per cent does to response times what one per cent more load does,
    and makes them one per cent longer: ln R answers with 1 + d ln R / d ln N, read off the
    neighbouring levels (`others`). Its throughput answers with the share of a round of think time
    and response that is response, or with 1 - d ln X / d ln N, where throughput no longer follows
    the load. What a scenario costs answers with 1. Assumes that a run is as fast in all of it.
    """
    if not metric.startswith(("throughput", "response")):
        return USUAL
    slope = _slope(metric, at[0].users, [*at, *others])
    if metric == "throughput":
        flat = 0.0 if slope is None else 1 - slope
        return USUAL * min(max(_waiting(at), flat, 0.0), 1.0)
    return USUAL * (1 + min(max(slope or 0.0, 0.0), STEEPEST))


def _waiting(at: Sequence[Measured]) -> float:
    """Which share of their time users wait for answers; 1 of users who do not think."""
    shares = []
    for one in at:
        think_s, mean_ms = one.level.think_mean_s, one.level.total.mean_ms
        if think_s is not None and mean_ms:
            shares.append(mean_ms / (mean_ms + think_s * 1000))
    return max(shares, default=0.0)


def _slope(metric: str, users: int, levels: Sequence[Measured]) -> float | None:
    """The steepest d ln(metric) / d ln(users) to a neighbouring number of users; None without one.

    For throughput the flattest: it is where the curve bends that runs differ.
    """
    means = _by_users(metric, levels)
    if users not in means:
        return None
    ordered = sorted(means)
    place = ordered.index(users)
    neighbours = [ordered[at] for at in (place - 1, place + 1) if 0 <= at < len(ordered)]
    slopes = [
        (means[other] - means[users]) / (math.log(other) - math.log(users)) for other in neighbours
    ]
    if not slopes:
        return None
    return min(slopes) if metric == "throughput" else max(slopes)


def _by_users(metric: str, levels: Sequence[Measured]) -> Mapping[int, float]:
    """Mean logarithm of a metric, by users."""
    logs: dict[int, list[float]] = {}
    for one in levels:
        if metric in one.figures:
            logs.setdefault(one.users, []).append(math.log(one.figures[metric].value))
    return {users: sum(found) / len(found) for users, found in logs.items()}
