"""Tests by ranks, and Sen's slope, for a few dozen values.

Equivalent to `kendalltau`, `theilslopes` and `mannwhitneyu` of `scipy.stats` with their defaults
(tests compare them). Importing that takes a second of CPU: more than all else at the end of a run.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

EXACT_KENDALL = 33
"""Most values without ties for which every order is counted."""
EXACT_MANN_WHITNEY = 8
"""Most values of the smaller sample, without ties, for which every division is counted."""


@dataclass(frozen=True, slots=True)
class Slope:
    """Sen's slope by the step from one value to the next, with its 95% interval."""

    slope: float
    low: float
    high: float


def kendall(values: Sequence[float]) -> tuple[float, float]:
    """Kendall's tau-b of values against their order, and its two-sided p-value.

    Kendall, Rank Correlation Methods, 1948: counts all orders of up to `EXACT_KENDALL` values
    without ties; otherwise uses the normal distribution with the variance for ties. Constant values
    give (0, 1).
    """
    n = len(values)
    pairs = n * (n - 1) // 2
    signs = [(after > before) - (after < before) for before, after in combinations(values, 2)]
    score, tied = sum(signs), signs.count(0)
    if tied == pairs:
        return 0.0, 1.0
    tau = score / math.sqrt((pairs - tied) * pairs)
    falling = signs.count(-1)
    if not tied and (n <= EXACT_KENDALL or min(falling, pairs - falling) <= 1):
        return tau, _inversions_p(n, min(falling, pairs - falling))
    variance = n * (n - 1) * (2 * n + 5)
    variance -= sum(t * (t - 1) * (2 * t + 5) for t in _ties(values))
    return tau, _two_sided(abs(score) / math.sqrt(variance / 18))


def _inversions_p(n: int, fewest: int) -> float:
    """Two-sided p-value of at most `fewest` inversions in n values (Kendall 1948, 5)."""
    shares = np.zeros(fewest + 1)
    shares[0] = 1.0
    for size in range(2, n + 1):
        summed = np.cumsum(shares)
        summed[size:] -= summed[:-size].copy()
        shares = summed / size
    return min(2 * float(shares.sum()), 1.0) if 4 * fewest != n * (n - 1) else 1.0


def sen(values: Sequence[float]) -> Slope:
    """The median of the slopes of all pairs, and the interval of Kendall's score around it.

    Sen, Journal of the American Statistical Association 63, 1968.
    """
    n = len(values)
    y = np.asarray(values, dtype=np.float64)
    first, second = np.triu_indices(n, 1)
    slopes = np.sort((y[second] - y[first]) / (second - first))
    variance = n * (n - 1) * (2 * n + 5)
    variance -= sum(t * (t - 1) * (2 * t + 5) for t in _ties(values))
    width = float(ndtri(0.975)) * math.sqrt(variance / 18)
    high = min(round((len(slopes) + width) / 2), len(slopes) - 1)
    low = max(round((len(slopes) - width) / 2) - 1, 0)
    return Slope(float(np.median(slopes)), float(slopes[low]), float(slopes[high]))


def mann_whitney(one: Sequence[float], two: Sequence[float]) -> float:
    """Two-sided p-value of the hypothesis that two samples come from one distribution.

    Mann and Whitney, Annals of Mathematical Statistics 18, 1947: counts all ways to divide the
    values if there are no ties and one sample has at most `EXACT_MANN_WHITNEY`; otherwise uses the
    normal distribution with the variance for ties and a continuity correction.
    """
    n, m = len(one), len(two)
    y = np.sort(np.asarray(two, dtype=np.float64))
    below, up_to = (np.searchsorted(y, one, side) for side in ("left", "right"))
    above = float(below.sum() + up_to.sum()) / 2
    most = max(above, n * m - above)
    together = [*one, *two]
    ties = list(_ties(together))
    if not any(t > 1 for t in ties) and min(n, m) <= EXACT_MANN_WHITNEY:
        counts = _divisions(n, m)
        return min(2 * float(counts[int(most) :].sum() / counts.sum()), 1.0)
    total = n + m
    excess = sum(t**3 - t for t in ties) / (total * (total - 1))
    deviation = math.sqrt(n * m / 12 * (total + 1 - excess))
    return _two_sided((most - n * m / 2 - 0.5) / deviation) if deviation else 1.0


def _divisions(n: int, m: int) -> npt.NDArray[np.float64]:
    """In how many ways n of n + m values exceed the others, by the number of such pairs."""
    counts = np.zeros(n * m + 1)
    counts[0] = 1.0
    for size in range(1, n + 1):
        # The Gaussian binomial coefficient, a factor (1 - q^(m + size)) / (1 - q^size) at a time.
        counts[m + size :] -= counts[: n * m + 1 - m - size].copy()
        for place in range(size, n * m + 1):
            counts[place] += counts[place - size]
    return counts


def _ties(values: Sequence[float]) -> list[int]:
    """How often each value occurs."""
    return [int(count) for count in np.unique(values, return_counts=True)[1]]


def _two_sided(deviations: float) -> float:
    """p-value of a score so far above its mean; a correction may have put it below the mean."""
    return min(2 * float(ndtr(-deviations)), 1.0)
