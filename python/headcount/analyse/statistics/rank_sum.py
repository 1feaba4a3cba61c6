"""The rank sum test, exact even with ties; values that never came are infinite, and so tied."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from headcount.analyse.statistics.ranks import mann_whitney

EXACT = 100
"""Most values of both samples together for which every division is counted."""


def p_value(one: Sequence[float], two: Sequence[float]) -> float:
    """Two-sided p-value of the hypothesis that two samples come from one distribution.

    All ways to divide the values into samples of these sizes are then equally likely. The p-value
    is twice the share of those whose rank sum is as far out, on the same side; tied values share
    their mean rank (Lehmann, Nonparametrics, 1975, 1.4). Many values use the normal distribution.
    """
    if len(one) + len(two) > EXACT:
        return mann_whitney(one, two)
    ranks = doubled_ranks([*one, *two])
    fewer, observed = len(one), sum(ranks[: len(one)])
    if len(two) < len(one):
        fewer, observed = len(two), sum(ranks[len(one) :])
    sums = _sums(ranks, fewer)
    below, above = float(sums[: observed + 1].sum()), float(sums[observed:].sum())
    return min(2 * min(below, above) / float(sums.sum()), 1.0)


def doubled_ranks(values: Sequence[float]) -> list[int]:
    """Twice the rank of each value, from 1; tied ones share their mean.

    >>> doubled_ranks([3.0, 1.0, 3.0, float("inf")])
    [5, 2, 5, 8]
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    below = np.searchsorted(ordered, values, "left")
    up_to = np.searchsorted(ordered, values, "right")
    return [int(rank) for rank in below + up_to + 1]


def _sums(ranks: Sequence[int], taken: int) -> npt.NDArray[np.float64]:
    """In how many ways `taken` of the ranks add up to each sum."""
    ways = np.zeros((taken + 1, sum(ranks) + 1))
    ways[0, 0] = 1.0
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, :-rank].copy()
    found: npt.NDArray[np.float64] = ways[taken]
    return found
