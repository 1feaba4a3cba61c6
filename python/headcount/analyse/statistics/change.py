"""Where a series of runs changed: nightly capacities, a history of releases."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from headcount.analyse.statistics.energy import divergences, permuted
from headcount.analyse.statistics.samples import Groups, compare

Vector = NDArray[np.float64]

WINDOW = 50
"""Runs looked at together: older ones say little about new ones."""
P = 0.005
"""Significance level of each cut: one in 200 windows that never changed still shows a change."""
MAGNITUDE = 0.02
"""Changes smaller than 2% come and go with the machine, whatever runs on it."""
LEAST = 3
"""Fewest runs on either side of a change."""
ORDERS = 999
"""How many orders are tried; the least p-value is one in a thousand."""
CHUNK = 100
SEED = 20_140_101
"""Seed of the orders: the same series always has the same changes."""


@dataclass(frozen=True, slots=True)
class Change:
    """A point at which a series changed.

    Attributes:
        index: The first run after the change, from 0.
        first: The first run of the stretch before it.
        end: One past the last run of the stretch after it.
        groups: The stretch after over the stretch before; each run is one value.

    """

    index: int
    first: int
    end: int
    groups: Groups

    @property
    def size(self) -> float:
        """The change as a share: -0.05 is 5% less than before."""
        return self.groups.ratio.value - 1


def changes(
    values: Sequence[float],
    window: int = WINDOW,
    p: float = P,
    magnitude: float = MAGNITUDE,
) -> list[Change]:
    """The points at which a series of figures above zero changed, oldest first.

    E-divisive: in windows that overlap by half, the cut with the greatest energy distance between
    the logarithms before and after it is a change if fewer than `p` of the orders of the same
    values have a cut as good; each side is then searched likewise (Matteson and James, Journal of
    the American Statistical Association 109, 2014; windows as in Fleming et al., Hunter, ICPE
    2023). The cuts of all windows are then tested between their neighbouring changes: while the
    weakest is not significant by Welch's t at `p`, or is smaller than `magnitude`, it is removed.

    Assumes that runs are independent apart from the changes: a machine that drifts is full of
    changes. A figure that is not above zero raises ValueError. The first runs after a change cannot
    show it; docs/statistics.md has how many it takes.
    """
    if not all(math.isfinite(value) and value > 0 for value in values):
        raise ValueError("a change is a ratio, and only figures above zero have one")
    logs = np.log(np.asarray(values, dtype=float))
    found: set[int] = set()
    for start in _starts(len(logs), window):
        piece = logs[start : start + window]
        found |= {start + cut for cut in _cuts(piece, p)}
    return _proven(values, sorted(found), p, magnitude)


def _starts(count: int, window: int) -> list[int]:
    """Where windows begin: every half window, and one at the very end."""
    last = max(count - window, 0)
    return sorted({*range(0, last, max(window // 2, 1)), last})


def _cuts(values: Vector, p: float) -> list[int]:
    """The cuts of one window, each tested against all orders of its stretch."""
    cuts: list[int] = []
    stretches = [(0, len(values))]
    while stretches:
        start, end = stretches.pop()
        if end - start < 2 * LEAST:
            continue
        piece = values[start:end]
        scores = divergences(piece, LEAST)
        cut = int(scores.argmax())
        if scores[cut] > 0 and _significant(piece, float(scores[cut]), p):
            cuts.append(start + cut)
            stretches += [(start, start + cut), (start + cut, end)]
    return cuts


def _significant(values: Vector, score: float, p: float) -> bool:
    """Whether at most a share `p` of the orders has a cut as good; stops once there are too many.

    The series as it is counts as one of the orders (Phipson and Smyth, Permutation p-values should
    never be zero, Statistical Applications in Genetics and Molecular Biology 9, 2010).
    """
    stream = np.random.default_rng(SEED)
    allowed = p * (ORDERS + 1) - 1
    as_good = tried = 0
    while tried < ORDERS:
        number = min(CHUNK, ORDERS - tried)
        orders = stream.permuted(np.tile(np.arange(len(values)), (number, 1)), axis=1)
        as_good += int((permuted(values, LEAST, orders) >= score * (1 - 1e-9)).sum())
        tried += number
        if as_good > allowed:
            return False
    return True


def _proven(
    values: Sequence[float], cuts: Sequence[int], p: float, magnitude: float
) -> list[Change]:
    """The changes that hold between their neighbours; the weakest is removed first."""
    left = list(cuts)
    while left:
        edges = [0, *left, len(values)]
        pieces = [
            (cut, first, end, compare(values[first:cut], values[cut:end]))
            for (first, cut), (_, end) in pairwise(pairwise(edges))
        ]
        weakest = max(pieces, key=lambda each: each[3].ratio.p if each[3] else 1.0)
        if weakest[3] is not None and weakest[3].ratio.p <= p:
            weakest = min(pieces, key=lambda each: abs(each[3].ratio.log) if each[3] else 0.0)
            if weakest[3] is not None and abs(weakest[3].ratio.value - 1) >= magnitude:
                return [Change(cut, first, end, g) for cut, first, end, g in pieces if g]
        left.remove(weakest[0])
    return []
