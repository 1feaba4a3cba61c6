"""The ratio of the most users that two servers hold, from pairs of levels around both limits.

One regression over all levels: the logit of the bad share, or the logarithm of a value over its
limit, is a line in ln(users) for each side. A side holds the users at which its line meets the
limit. No side needs a search of its own, and drift affects both levels of a pair alike and cancels
in their distance.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from headcount.analyse.search import Share, Value
from headcount.analyse.search.regression import LEAST_ALLOWED, SLOPE, ridge
from headcount.analyse.statistics.student import LogRatio

Vector = NDArray[np.float64]

FEWEST = 3
"""Fewest pairs for which leaving out each in turn says anything about their spread."""
FEWEST_APART = 5
"""Fewest pairs that can distinguish two slopes."""
SLOPE_LEAST = 1.0
VALUE_SLOPE_LEAST = 0.1
"""Smallest slope: with less, users do not approach the limit, and there is nothing to divide by."""
REACH = 0.35
"""Largest distance from the levels, in ln(users), at which a limit is looked for."""
BAD_LEAST = 10.0
"""Fewest bad scenarios of a side: with fewer, it was not observed at its limit at all."""


@dataclass(frozen=True, slots=True)
class Point:
    """One level of a pair.

    Attributes:
        pair: Number of its pair.
        second: Whether it is of the second side.
        users: How many users there were.
        response: What was judged, the same criterion in all of them.
        seconds: How long it was measured.

    """

    pair: int
    second: bool
    users: int
    response: Share | Value
    seconds: float


@dataclass(frozen=True, slots=True)
class Joint:
    """What the pairs show.

    Attributes:
        ratio: Most users of the second over those of the first.
        first, second: Users at which each side meets the limit, on the log scale as the ratio;
            drift does not cancel in these.
        slopes: Slope of each side; equal if there are too few pairs to distinguish them.
        pairs: Number of pairs.

    """

    ratio: LogRatio
    first: LogRatio
    second: LogRatio
    slopes: tuple[float, float]
    pairs: int


def joint(points: Sequence[Point]) -> Joint | None:
    """The ratio with its standard error, by leaving out each pair in turn.

    The pair is the unit of replication: its levels are close in time, and the scenarios of a level
    are not independent at all. The jackknife over such clusters is the most reliable of the
    cluster-robust errors when there are few of them (MacKinnon, Nielsen and Webb, Journal of
    Applied Econometrics 38, 2023); Student's t has one degree of freedom less than pairs. Each side
    has its own slope if there are enough pairs to show it: with a common slope, the interval held
    the truth in 65 to 80% of the cases only if the servers differed in kind
    (docs/comparing-live.md).
    None with fewer than three whole pairs, or if the levels do not show both limits.
    """
    found = _whole(points)
    names = sorted({point.pair for point in found})
    if len(names) < FEWEST:
        return None
    table = _Table.of(found)
    own = _jackknife(table, names, apart=True) if len(names) >= FEWEST_APART else None
    return own or _jackknife(table, names, apart=False)


def _jackknife(table: "_Table", names: Sequence[int], *, apart: bool) -> Joint | None:
    whole = table.fit(apart=apart)
    left = [table.without(name).fit(apart=apart) for name in names]
    lines = [line for line in left if line is not None]
    if whole is None or len(lines) < len(names):
        return None
    freedom = len(names) - 1
    apart_by = [line.roots[1] - line.roots[0] for line in lines]
    return Joint(
        LogRatio(whole.roots[1] - whole.roots[0], _error(apart_by), freedom),
        LogRatio(whole.roots[0], _error([line.roots[0] for line in lines]), freedom),
        LogRatio(whole.roots[1], _error([line.roots[1] for line in lines]), freedom),
        whole.slopes,
        len(names),
    )


def _error(values: Sequence[float]) -> float:
    """The jackknife's standard error, from the estimates without each pair."""
    count = len(values)
    mean = math.fsum(values) / count
    return math.sqrt((count - 1) / count * math.fsum((value - mean) ** 2 for value in values))


def _whole(points: Sequence[Point]) -> list[Point]:
    """The levels of complete pairs."""
    sides: dict[int, set[bool]] = {}
    for point in points:
        sides.setdefault(point.pair, set()).add(point.second)
    return [point for point in points if len(sides[point.pair]) == 2]


@dataclass(frozen=True, slots=True)
class _Lines:
    """Where the line of each side meets the limit, in ln(users), and how steep it is."""

    roots: tuple[float, float]
    slopes: tuple[float, float]


@dataclass(frozen=True)
class _Table:
    """The levels as columns; `x` is ln(users) less the mean of its side, `side` is 0 or 1."""

    pair: NDArray[np.int64]
    side: NDArray[np.int64]
    x: Vector
    y: Vector
    weight: Vector
    bad: Vector
    centres: Vector
    target: float
    is_share: bool

    @classmethod
    def of(cls, points: Sequence[Point]) -> "_Table":
        x = np.log([float(point.users) for point in points])
        side = np.array([int(point.second) for point in points])
        centres = np.array([x[side == one].mean() for one in (0, 1)])
        shares = [point.response for point in points if isinstance(point.response, Share)]
        is_share = len(shares) == len(points)
        if is_share:
            bad = np.array([float(share.bad) for share in shares])
            total = np.array([max(float(share.total), 1.0) for share in shares])
            y, weight = bad / total, total / total.mean()
            target = float(logit(max(shares[0].allowed, LEAST_ALLOWED)))
        else:
            values = [point.response for point in points if isinstance(point.response, Value)]
            y = np.log([max(value.value, 1e-9) / value.limit for value in values])
            seconds = np.array([point.seconds for point in points])
            weight, target, bad = seconds / seconds.mean(), 0.0, np.full(len(points), np.inf)
        pair = np.array([point.pair for point in points])
        return cls(pair, side, x - centres[side], y, weight, bad, centres, target, is_share)

    def without(self, pair: int) -> "_Table":
        """The table without the levels of a pair."""
        keep = self.pair != pair
        return replace(
            self,
            pair=self.pair[keep],
            side=self.side[keep],
            x=self.x[keep],
            y=self.y[keep],
            weight=self.weight[keep],
            bad=self.bad[keep],
        )

    def fit(self, *, apart: bool) -> _Lines | None:
        """The lines of both sides, with separate slopes or a common one; None if nothing fits."""
        second = self.side.astype(float)
        slopes = [(1 - second) * self.x, second * self.x] if apart else [self.x]
        design = np.column_stack([1 - second, second, *slopes])
        beta = self._logistic(design) if self.is_share else self._straight(design)
        if beta is None:
            return None
        slope = float(beta[2]), float(beta[-1])
        if min(slope) < (SLOPE_LEAST if self.is_share else VALUE_SLOPE_LEAST):
            return None
        away = [(self.target - float(beta[one])) / slope[one] for one in (0, 1)]
        for one in (0, 1):
            here = self.x[self.side == one]
            if not here.min() - REACH <= away[one] <= here.max() + REACH:
                return None
        return _Lines((self.centres[0] + away[0], self.centres[1] + away[1]), slope)

    def _straight(self, design: Vector) -> Vector | None:
        square = design.T @ (self.weight[:, None] * design)
        if np.linalg.matrix_rank(square) < len(square):
            return None
        solved = np.linalg.solve(square, design.T @ (self.weight * self.y))
        return np.asarray(solved, dtype=np.float64)

    def _logistic(self, design: Vector) -> Vector | None:
        """Newton's method, with the same weak pull towards the usual slope as in a search."""
        size = design.shape[1]
        beta: Vector = np.zeros(size)
        for one in (0, 1):
            here = self.side == one
            if self.bad[here].sum() < BAD_LEAST:
                return None
            beta[one] = logit(_inner(np.average(self.y[here], weights=self.weight[here])))
        pulls = np.array([0.0, 0.0, 1.0, 1.0])[:size] * ridge(self.target)
        usual = np.array([0.0, 0.0, SLOPE, SLOPE])[:size]
        most = np.array([3.0, 3.0, 40.0, 40.0])[:size]
        for _ in range(80):
            mu = 1 / (1 + np.exp(-np.clip(design @ beta, -35.0, 35.0)))
            gradient = design.T @ (self.weight * (self.y - mu)) - pulls * (beta - usual)
            hessian = design.T @ ((self.weight * mu * (1 - mu))[:, None] * design)
            step = np.linalg.solve(hessian + np.diag(pulls + 1e-12), gradient)
            beta = np.asarray(beta + np.clip(step, -most, most), dtype=np.float64)
            if np.abs(step).max() < 1e-8:
                return beta
        return None


def _inner(share: float) -> float:
    """A share that has a logit."""
    return min(max(float(share), 1e-6), 1 - 1e-6)
