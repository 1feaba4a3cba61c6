"""Where a figure that can only grow with the users meets its limit, without a law of how it grows.

For loads that were measured already: a ladder, an imported table, another limit than the run's own.
The search itself uses the logistic regression of `analyse.search.regression`: it chooses its levels
near the limit, where the logit of the slow share is a straight line of ln(users), and a line is
known better than a curve. Here the levels lie where somebody put them, and far from the limit no
line holds: response times have a knee, shares are zero and then are not.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.special import logit

from headcount.analyse.search.regression import PRIOR_RUNS
from headcount.analyse.statistics.sections import SECTIONS
from headcount.analyse.statistics.student import quantile as student

Vector = NDArray[np.float64]

SPREAD = 0.01
"""Standard deviation of ln(users) by which runs of a quiet machine differ beyond what can be seen
within them."""
RESTLESS = 1.5
"""Times that levels may scatter more than their errors say, by chance."""
UNKNOWN = 0.1
"""Standard error of the logarithm of a time whose interval is not known."""
DRAWS = 1_999
AT_ONCE = 1_000_000
"""Means of stretches held in memory together."""
SEED = 20_140_102
"""Of the draws: the same levels always have the same interval."""
NEAR = 0.05
"""Reach in ln(users) of the slope that turns a spread of users into one of the figure."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A level: how far its figure was beyond the limit.

    Attributes:
        users: The load, above zero.
        excess: ln(value / limit) of a time, logit(share) - logit(allowed) of a share: above zero
            where the limit is broken.
        error: The standard error of that by what happened within the level.

    """

    users: float
    excess: float
    error: float


@dataclass(frozen=True, slots=True)
class Root:
    """The users at which the limit is met.

    Attributes:
        users: The estimate.
        low, high: Its 95% interval; 0 and infinite where the levels do not bound it.
        scatter: By how much the levels scatter more than their errors say; 1 if they do not.

    """

    users: float
    low: float
    high: float
    scatter: float

    @property
    def is_restless(self) -> bool:
        """Whether levels scatter so much that their errors are not the whole of the noise."""
        return self.scatter > RESTLESS


def of_time(
    users: float, value: float, limit: float, interval: tuple[float, float] | None
) -> Reading:
    """A response time in any unit with its 95% interval, by ten sections as levels have it.

    Without an interval the error is taken as 10%.
    """
    error = UNKNOWN
    if interval is not None and interval[0] > 0:
        error = math.log(interval[1] / interval[0]) / 2 / student(SECTIONS - 1)
    return Reading(users, math.log(value / limit), error)


def of_share(
    users: float, bad: float, total: float, allowed: float, batches: Sequence[tuple[float, float]]
) -> Reading:
    """A share of bad scenarios, with (bad, total) of consecutive stretches for its error.

    Half a scenario is added to the bad and to the good, so that none at all has a logit (Haldane,
    Annals of Human Genetics 20, 1956). The binomial variance is multiplied by what the stretches
    scatter more than it allows, if they do (McCullagh and Nelder, Generalized Linear Models, 2nd
    ed., 1989, 4.5).
    """
    share = (bad + 0.5) / (total + 1)
    excess = float(logit(share) - logit(allowed))
    variance = 1 / ((total + 1) * share * (1 - share))
    used = [(b, t) for b, t in batches if t > 0]
    if len(used) > 1:
        squares = sum((b - share * t) ** 2 / (t * share * (1 - share)) for b, t in used)
        variance *= max(squares / (len(used) - 1), 1.0)
    return Reading(users, excess, math.sqrt(variance))


def crossing(readings: Sequence[Reading], spread: float = SPREAD) -> Root | None:
    """The users at which the limit is met; None if no level, or every one, is beyond it.

    Isotonic regression of the excess on ln(users), weighted by the errors (Barlow, Bartholomew,
    Bremner and Brunk, Statistical Inference under Order Restrictions, 1972), with straight lines
    between the centres of its steps. The interval is a parametric bootstrap: the curve with new
    errors of each level, fitted again (Efron and Tibshirani, An Introduction to the Bootstrap,
    1993, 6.5), which a smooth curve allows and the steps themselves would not (Sen, Banerjee and
    Woodroofe, Annals of Statistics 38, 2010). Errors are normal, independent between levels: what
    was seen within the level and `spread`, by which runs differ beyond it, both widened by as much
    as levels of the same users differ, or levels are out of order, more than those explain (Meyer
    and Woodroofe, On the degrees of freedom in shape-restricted regression, ibid. 28, 2000). A
    ladder of one level each can hardly show that, so it trusts `spread`.

    Assumes that the figure cannot fall with more users, and is nearly a straight line between
    neighbouring levels: a bracket that is wide shows little, whatever the interval says.
    """
    ordered = sorted(readings, key=lambda one: one.users)
    each = np.log([one.users for one in ordered])
    y = np.array([one.excess for one in ordered])
    within = np.array([max(one.error, 1e-6) for one in ordered])
    if len(ordered) < 2 or not (y.min() < 0 < y.max()):
        return None
    x, which = np.unique(each, return_inverse=True)
    curve = _fit(x, *_pooled(y, within, which))
    errors = np.hypot(within, curve.slope(each) * spread)
    means, weights = _pooled(y, errors, which)
    curve = _fit(x, means, weights)
    users = curve.root()
    if users is None:
        return None
    squares = float((((y - curve.steps[which]) / errors) ** 2).sum())
    freedom = len(y) - len(curve.x)  # each step takes one
    scatter = math.sqrt(max((squares + PRIOR_RUNS) / (freedom + PRIOR_RUNS), 1.0))
    low, high = _bootstrap(x, curve.at(x), scatter / np.sqrt(weights))
    return Root(users, min(low, users), max(high, users), scatter)


def _pooled(y: Vector, errors: Vector, which: NDArray[np.intp]) -> tuple[Vector, Vector]:
    """The mean of the levels of the same users, and its weight."""
    weights: Vector = np.bincount(which, weights=1 / errors**2).astype(float)
    means: Vector = np.bincount(which, weights=y / errors**2) / weights
    return means, weights


@dataclass(frozen=True, slots=True)
class _Curve:
    """Centres of the steps of an isotonic regression, in ln(users), and its value at each level."""

    x: Vector
    y: Vector
    steps: Vector

    def at(self, x: Vector) -> Vector:
        """The curve; level beyond its ends."""
        found: Vector = np.interp(x, self.x, self.y)
        return found

    def slope(self, x: Vector) -> Vector:
        """How steep the curve is about each x; at its ends and beyond, as steep as just inside."""
        first, last = self.x[0], self.x[-1]
        inside = np.clip(x, first, last)
        low, high = np.maximum(inside - NEAR, first), np.minimum(inside + NEAR, last)
        found: Vector = (self.at(high) - self.at(low)) / np.maximum(high - low, 1e-9)
        return found

    def root(self) -> float | None:
        """Users at which the curve is zero; None if it is not."""
        if not self.y[0] < 0 < self.y[-1]:
            return None
        return math.exp(float(np.interp(0.0, self.y, self.x)))


def _fit(x: Vector, y: Vector, weights: Vector) -> _Curve:
    found = scipy.optimize.isotonic_regression(y, weights=weights)
    starts = found.blocks[:-1]
    sums = np.add.reduceat(weights, starts)
    return _Curve(np.add.reduceat(weights * x, starts) / sums, found.x[starts], found.x)


def _bootstrap(x: Vector, centre: Vector, errors: Vector) -> tuple[float, float]:
    """Both ends of the interval, from the roots of resampled curves."""
    stream = np.random.default_rng(SEED)
    drawn = centre + errors * stream.normal(size=(DRAWS, len(x)))
    some = max(AT_ONCE // len(x) ** 2, 1)
    parts = [roots(x, drawn[i : i + some], 1 / errors**2) for i in range(0, DRAWS, some)]
    ordered = np.sort(np.concatenate(parts))
    rank = round(0.025 * (DRAWS + 1)) - 1
    return float(ordered[rank]), float(ordered[-1 - rank])


def roots(x: Vector, drawn: Vector, weights: Vector) -> Vector:
    """The root in users of each row of `drawn`, 0 or infinite if it has none.

    By the max-min formula of Barlow and others for all rows at once: a thousand curves take as long
    as twenty fitted one by one.
    """
    count = len(x)
    first, last = np.arange(count)[:, None], np.arange(count)[None, :]
    size = np.concatenate([[0.0], weights.cumsum()])
    sums = np.pad((drawn * weights).cumsum(axis=1), ((0, 0), (1, 0)))
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (sums[:, None, 1:] - sums[:, :-1, None]) / (size[1:] - size[:-1, None])
    means = np.where(first <= last, means, np.inf)
    least = np.minimum.accumulate(means[:, :, ::-1], axis=2)[:, :, ::-1]
    steps = np.where(first <= last, least, -np.inf).max(axis=1)
    below = (steps < 0).sum(axis=1)
    rows = np.arange(len(drawn))
    left = steps[rows, np.maximum(below - 1, 0)]
    right = steps[rows, np.minimum(below, count - 1)]
    ends = []
    for value in (left, right):
        members = (steps == value[:, None]) * weights
        ends.append(members @ x / members.sum(axis=1))
    inner = (below > 0) & (below < count)
    rise = np.where(inner, right - left, 1.0)
    found: Vector = np.exp(ends[0] - left / rise * (ends[1] - ends[0]))
    return np.where(inner, found, np.where(below == 0, 0.0, np.inf))
