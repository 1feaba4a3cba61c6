"""Hodges-Lehmann estimates: a shift and its interval from ranks, for any distribution.

An outlier of any size moves them by no more than the next value would.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from headcount.analyse.batches import CONFIDENCE

Vector = NDArray[np.float64]

EXACT_PAIRS = 100
EXACT_PRODUCT = 2_500
"""Above this, the normal approximation of the null distribution is exact to about a rank."""


@dataclass(frozen=True, slots=True)
class Shift:
    """By how much one set of values lies above another (or one set above zero).

    Attributes:
        value: The Hodges-Lehmann estimate.
        low, high: Its interval.
        confidence: Confidence of the interval: the distribution of ranks is discrete, so this is
            the least possible value that is not below 95%.

    """

    value: float
    low: float
    high: float
    confidence: float


def of_pairs(differences: Sequence[float]) -> Shift | None:
    """The centre of the differences of pairs: median and order statistics of the Walsh averages.

    The interval inverts Wilcoxon's signed-rank test (Hollander, Wolfe and Chicken, Nonparametric
    Statistical Methods, 3rd ed., 2014, 3.2 and 3.3). Assumes independent differences, symmetric
    about their centre. None with fewer than six: there not even the longest interval has 95%.
    """
    values = np.sort(np.asarray(differences, dtype=float))
    count = len(values)
    if count < 6:
        return None
    first, second = np.triu_indices(count)
    walsh = np.sort((values[first] + values[second]) / 2)
    if count <= EXACT_PAIRS:
        rank, confidence = _rank(_signed_ranks(count))
    else:
        middle, spread = count * (count + 1) / 4, count * (count + 1) * (2 * count + 1) / 24
        rank, confidence = _normal_rank(middle, spread)
    return _shift(walsh, rank, confidence)


def between(before: Sequence[float], after: Sequence[float]) -> Shift | None:
    """How far `after` lies above `before`: median and order statistics of all differences.

    The interval inverts the Mann-Whitney test (Hollander, Wolfe and Chicken, 4.2 and 4.3). Assumes
    independent values and two distributions of the same shape. None where the groups are too small
    for 95% (three and four).
    """
    a, b = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    if len(a) == 0 or len(b) == 0:
        return None
    differences = np.sort((b[:, None] - a[None, :]).ravel())
    rank, confidence = _rank_between(len(a), len(b))
    return None if rank is None else _shift(differences, rank, confidence)


def end_of(first: int, second: int) -> int | None:
    """The place of the ends of `between` among all differences, counted from 0 from either side.

    None if the groups are too small for 95%.
    """
    return _rank_between(first, second)[0] if first and second else None


def _rank_between(first: int, second: int) -> tuple[int | None, float]:
    product = first * second
    if product <= EXACT_PRODUCT:
        return _rank(_mann_whitney(first, second))
    return _normal_rank(product / 2, product * (first + second + 1) / 12)


def _shift(ordered: Vector, rank: int | None, confidence: float) -> Shift | None:
    if rank is None:
        return None
    middle = float(np.median(ordered))
    return Shift(middle, float(ordered[rank]), float(ordered[-1 - rank]), confidence)


def _rank(distribution: Vector) -> tuple[int | None, float]:
    """The rank, from 0, at which the interval begins, and the confidence of that interval.

    It is the largest k with P(T <= k) <= 2.5%; None if even P(T = 0) is larger.
    """
    below = np.cumsum(distribution)
    rank = int(np.searchsorted(below, (1 - CONFIDENCE) / 2 * (1 + 1e-12), side="right")) - 1
    if rank < 0:
        return None, 0.0
    return rank, 1 - 2 * float(below[rank])


def _normal_rank(mean: float, variance: float) -> tuple[int, float]:
    reach = float(ndtri((1 + CONFIDENCE) / 2)) * math.sqrt(variance)
    return max(math.floor(mean - reach - 0.5), 0), CONFIDENCE


def _signed_ranks(count: int) -> Vector:
    """Null distribution of the sum of positive ranks; each rank is in it with probability 1/2."""
    chances = np.zeros(count * (count + 1) // 2 + 1)
    chances[0] = 1.0
    for rank in range(1, count + 1):
        moved = np.zeros_like(chances)
        moved[rank:] = chances[:-rank]
        chances = (chances + moved) / 2
    return chances


def _mann_whitney(first: int, second: int) -> Vector:
    """Null distribution of U, by Mann and Whitney's recurrence over the largest of all values."""
    length = first * second + 1
    row = [_certain(length) for _ in range(second + 1)]
    for n in range(1, first + 1):
        last, row = row, [_certain(length)]
        for m in range(1, second + 1):
            moved = np.zeros(length)
            moved[m:] = last[m][: length - m]
            row.append((n * moved + m * row[m - 1]) / (n + m))
    return row[second]


def _certain(length: int) -> Vector:
    chances = np.zeros(length)
    chances[0] = 1.0
    return chances
