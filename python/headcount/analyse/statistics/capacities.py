"""The ratio of two capacities from levels that both sides ran at the same users, one after another.

Needs no search of either side, and what drifts meets both sides of a pair alike.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from headcount.analyse.statistics.student import LogRatio, mean_and_error, p_value

Counted = tuple[float, float]
"""How many scenarios of a level were bad, of how many."""

LEAST_SLOPE = 2.0
"""Of logit(share bad) over ln(users); flatter, the users hardly matter. Near a capacity it is 10 to
35."""
PARALLEL_P = 0.1


@dataclass(frozen=True, slots=True)
class Capacities:
    """What pairs of levels at the same users say of second over first.

    Attributes:
        ratio: Of the capacities.
        slope: Of logit(share bad) over ln(users), both sides together.
        parallel: Whether nothing speaks against the same slope on both sides. Where it does, the
            ratio is that at the users measured and another elsewhere.

    """

    ratio: LogRatio
    slope: float
    parallel: bool


def compare(pairs: Sequence[tuple[float, Counted, Counted]]) -> Capacities | None:
    """The ratio of capacities, second / first, from (users, first, second) of pairs of levels.

    logit(share) = a + b ln(users) + d for the second side: its curve is the first's, moved by
    -d / b along ln(users), and so is its capacity, whatever share is allowed. d is the mean
    difference of the pairs, b the slope of their means, the error by the delta method (Finney,
    Statistical Method in Biological Assay, 3rd ed., 1978, 4: the parallel line assay). Half a
    scenario is added to the bad and to the good (Haldane, Annals of Human Genetics 20, 1956).

    Assumes that pairs are independent of each other, and users that straddle both capacities. None
    with fewer than four pairs, at fewer than two numbers of users, or where the share hardly rises
    with them.
    """
    if len(pairs) < 4 or any(not (u > 0 and a[1] > 0 and b[1] > 0) for u, a, b in pairs):
        return None
    x = np.log([users for users, _, _ in pairs])
    x = x - x.mean()
    spread = float(x @ x)
    first = np.array([_logit(one) for _, one, _ in pairs])
    second = np.array([_logit(one) for _, _, one in pairs])
    apart = second - first
    means = (first + second) / 2
    if spread < 1e-9:
        return None
    slope = float(x @ means) / spread
    if slope < LEAST_SLOPE:
        return None
    freedom = len(pairs) - 2
    rest = means - means.mean() - slope * x
    slope_error = math.sqrt(float(rest @ rest) / freedom / spread)
    mean, error = mean_and_error(apart.tolist())
    moved = -mean / slope
    return Capacities(
        LogRatio(moved, math.hypot(error, moved * slope_error) / slope, len(pairs) - 1),
        slope,
        _parallel(x.tolist(), apart.tolist()),
    )


def _logit(counted: Counted) -> float:
    bad, total = counted
    return float(logit((bad + 0.5) / (total + 1)))


def _parallel(x: Sequence[float], apart: Sequence[float]) -> bool:
    """Whether the differences of the pairs show no trend over the users, by a t-test."""
    spread = math.fsum(one * one for one in x)
    mean = math.fsum(apart) / len(apart)
    trend = math.fsum(a * b for a, b in zip(x, apart, strict=True)) / spread
    rest = math.fsum((b - mean - trend * a) ** 2 for a, b in zip(x, apart, strict=True))
    if rest <= 0:
        return trend == 0
    t = trend / math.sqrt(rest / (len(x) - 2) / spread)
    return p_value(t, len(x) - 2) > PARALLEL_P
