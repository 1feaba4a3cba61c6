"""How much a figure usually differs from run to run, if only one run of a side was made.

A level's sections show how exactly that level was measured, not how much another run would differ:
memory is laid out differently, caches are filled differently, a neighbour is busier. One run of
each side cannot show that by itself. What is known is how much the speed of one configuration
usually differs between runs, and how sensitive a figure is to speed.
"""

import math
from collections.abc import Mapping, Sequence

from headcount.analyse.compare.measured import Measured

USUAL = 0.02
"""Usual standard deviation, from run to run, of the speed of a server on a quiet machine.

Simulations of this project's search take 1%; published spreads of repeated runs on quiet machines
lie between 1 and 3%.
"""
STEEPEST = 25.0
"""Per cent of response time for one of load above which it is a jump between two levels, not a
slope."""


def usual_spread(metric: str, at: Sequence[Measured], others: Sequence[Measured]) -> float:
    """Usual standard deviation of the logarithm of a metric from run to run.

    A server that is slower by 1% affects response times like 1% more load, and also makes them 1%
    longer: the sensitivity of ln R is 1 + d ln R / d ln N, taken from the neighbouring levels
    (`others`). That of throughput is the share of response in a cycle of think time and response,
    or 1 - d ln X / d ln N once throughput no longer follows the load. That of a scenario's costs is
    1. Assumes that speed is constant within a run.
    """
    if not metric.startswith(("throughput", "response")):
        return USUAL
    slope = _slope(metric, at[0].users, [*at, *others])
    if metric == "throughput":
        flat = 0.0 if slope is None else 1 - slope
        return USUAL * min(max(_waiting(at), flat, 0.0), 1.0)
    return USUAL * (1 + min(max(slope or 0.0, 0.0), STEEPEST))


def _waiting(at: Sequence[Measured]) -> float:
    """Share of their time that users wait for answers; 1 for users who do not think."""
    shares = []
    for one in at:
        think_s, mean_ms = one.level.think_mean_s, one.level.total.mean_ms
        if think_s is not None and mean_ms:
            shares.append(mean_ms / (mean_ms + think_s * 1000))
    return max(shares, default=0.0)


def _slope(metric: str, users: int, levels: Sequence[Measured]) -> float | None:
    """The steepest d ln(metric) / d ln(users) to a neighbouring number of users; None without one.

    For throughput the flattest, because runs differ where the curve bends.
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
