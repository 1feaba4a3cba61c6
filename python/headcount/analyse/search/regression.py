"""Where a constraint meets its limit: regressions over the logarithm of the users.

Shares follow a logistic regression of bad counts, pooled over runs, so the estimate does not depend
on the length of a level (a finite level's percentile does: short levels miss the bad episodes).
Values follow a straight line of their logarithm. In both, the run is the unit of replication:
requests of one run are correlated, so binomial errors would be far too small.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, stdtrit

from headcount.analyse.search.observation import Share, Value

Vector = NDArray[np.float64]

SLOPE = 25.0
"""Usual slope of logit(share slow) over ln(users) near the capacity; simulated servers have 10-35.

Used while the levels do not show a slope yet; also pulls early fits.
"""
RIDGE = 1e-3
"""Weight of that pull for a share at its limit, relative to its binomial variance: about the
information of half a run 4% away from the limit; it hardly affects later fits."""
SLOPE_LEAST = 2.0
SPAN_LEAST = 0.02
SLOPE_DOUBT = 0.5
VALUE_SLOPE_LEAST = 0.1
REACH = 0.06
"""How far outside the measured levels a regression may put the limit, in ln(users)."""
FAR_REACH = 0.12
"""The same with the usual slope: farther out the levels only show on which side it is."""
HALF_WIDTH_MOST = 3.0
BAD_LEAST = 10.0

PRIOR_RUNS = 4.0
"""Degrees of freedom given to the usual spread before any was seen (a moderated variance).

With only two or three residuals, a spread of nearly zero is luck, and a search that stops when
its interval is narrow would pick those moments.
"""
USUAL_SPREAD = 0.025
"""Usual standard deviation of ln(capacity) as located by a run of 60 s; scales as 1/sqrt(time)."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A regression near the limit, in ln(users).

    ``root`` is where the limit is met, ``error`` its standard error with ``freedom`` degrees of
    freedom, ``slope`` the change of the response (logit of the share, or log of the value) per unit
    of ln(users), ``spread`` the standard deviation of one run's distance from the line, in
    ln(users), ``runs`` the number of levels used, ``least`` and ``most`` their range of ln(users).
    """

    root: float
    error: float
    freedom: float
    slope: float
    spread: float
    runs: int
    least: float
    most: float

    @property
    def half_width(self) -> float:
        """Half the width of the 95% interval, in ln(users); at most 3, a factor of 20."""
        return min(float(stdtrit(self.freedom, 0.975)) * self.error, HALF_WIDTH_MOST)

    @property
    def low(self) -> float:
        """Lower end of the 95% interval, in ln(users)."""
        return self.root - self.half_width

    @property
    def high(self) -> float:
        """Upper end of the 95% interval, in ln(users)."""
        return self.root + self.half_width


def fit_shares(
    log_users: Sequence[float], shares: Sequence[Share], seconds: Sequence[float]
) -> Fit | None:
    """Logistic regression of bad counts on ln(users); None while the data cannot carry one.

    The three sequences run over levels. Generalised estimating equations with independent working
    correlation (Liang and Zeger, Biometrika 73, 1986) and a spread estimated between runs. Where
    the levels show no slope, or put the limit far outside of them, the usual slope stands in.
    """
    x = np.asarray(log_users, dtype=float)
    bad = np.array([share.bad for share in shares])
    total = np.array([share.total for share in shares])
    if len(x) < 2 or bad.sum() < BAD_LEAST or total.min() <= 0 or bad.sum() == total.sum():
        return None
    target = float(logit(max(shares[0].allowed, LEAST_ALLOWED)))
    centre = float(x.mean())
    y = bad / total
    weight = total / total.mean()
    line = _logistic(x - centre, y, weight, ridge(target))
    # Of few users the nearest other number is far away in ln(users).
    apart = 3.0 / math.exp(centre)
    if line is not None and not _plausible(line, target, x - centre, max(REACH, apart)):
        line = None
    slope_known = line is None
    if line is None:
        line = _level(x - centre, y, weight)
        if not _near(line, target, x - centre, max(FAR_REACH, apart)):
            return None
    mu = expit(np.clip(line[0] + line[1] * (x - centre), -STEEPEST, STEEPEST))
    return _located(
        Line(line, target, centre, slope_known),
        x,
        weight * mu * (1 - mu),
        (y - mu) / (mu * (1 - mu)),
        np.asarray(seconds, dtype=float),
    )


def _plausible(line: Vector, target: float, x: Vector, reach: float) -> bool:
    """Whether a line rises, over levels that differ, and meets the limit near them."""
    if len(x) < 3 or np.ptp(x) < SPAN_LEAST or line[1] < SLOPE_LEAST:
        return False
    return _near(line, target, x, reach)


def _near(line: Vector, target: float, x: Vector, reach: float) -> bool:
    """Whether a line meets the limit within ``reach`` of the levels."""
    root = (target - line[0]) / line[1]
    return bool(x.min() - reach <= root <= x.max() + reach)


STEEPEST = 35.0
"""A logit beyond which a share cannot be told from 0 or 1 in a float."""

LEAST_ALLOWED = 1e-4
"""A constraint that allows nothing at all is regressed as allowing one in ten thousand."""


def fit_values(
    log_users: Sequence[float], values: Sequence[Value], seconds: Sequence[float]
) -> Fit | None:
    """Straight line of ln(value / limit) on ln(users); None while the data cannot carry one."""
    x = np.asarray(log_users, dtype=float)
    ratio = np.array([value.value / value.limit for value in values])
    if len(x) < 3 or np.ptp(x) < SPAN_LEAST or ratio.min() <= 0:
        return None
    centre = float(x.mean())
    lasted = np.asarray(seconds, dtype=float)
    weight = lasted / lasted.mean()
    design = np.column_stack([np.ones_like(x), x - centre])
    z = np.log(ratio)
    line = np.linalg.solve(design.T @ (weight[:, None] * design), design.T @ (weight * z))
    if line[1] < VALUE_SLOPE_LEAST:
        return None
    return _located(Line(line, 0.0, centre, False), x, weight, z - design @ line, lasted)


def ridge(target: float) -> float:
    """Weight of the pull towards the usual slope, for a limit given as a logit."""
    allowed = 1 / (1 + math.exp(-target))
    return RIDGE * allowed * (1 - allowed)


def _logistic(x: Vector, y: Vector, weight: Vector, pull: float) -> Vector | None:
    """Intercept and slope by Newton's method; None when it does not settle."""
    # From a flat line Newton's method converges; from a steep one it may swing. The two unknowns
    # are solved by Cramer's rule: calls for arrays of two cost more than the arithmetic.
    intercept, slope = float(logit(np.average(y, weights=weight))), 0.0
    squares = x * x
    for _ in range(60):
        mu = expit(intercept + slope * x)
        missed, curved = weight * (y - mu), weight * mu * (1 - mu)
        up, along = float(missed.sum()), float(missed @ x) - pull * (slope - SLOPE)
        flat, mixed = float(curved.sum()) + SINGULAR, float(curved @ x)
        bent = float(curved @ squares) + pull + SINGULAR
        determinant = flat * bent - mixed * mixed
        if determinant <= 0:
            return None
        rise = _within((bent * up - mixed * along) / determinant, 3.0)
        turn = _within((flat * along - mixed * up) / determinant, 40.0)
        intercept, slope = intercept + rise, slope + turn
        if max(abs(rise), abs(turn)) < 1e-7:
            return np.array([intercept, slope])
    return None


SINGULAR = 1e-12
"""What keeps the equations of a step solvable where no level carries information."""


def _within(step: float, most: float) -> float:
    return max(-most, min(most, step))


def _level(x: Vector, y: Vector, weight: Vector) -> Vector:
    """The intercept that matches the pooled share at the usual slope, by bisection."""
    low, high = -60.0, 60.0
    pooled = float(weight @ y)
    for _ in range(80):
        middle = (low + high) / 2
        if float(weight @ expit(middle + SLOPE * x)) < pooled:
            low = middle
        else:
            high = middle
    return np.array([(low + high) / 2, SLOPE])


@dataclass(frozen=True, slots=True)
class Line:
    """A fitted line: intercept and slope at ``centre``, the limit, whether the slope was given."""

    coefficients: Vector
    target: float
    centre: float
    slope_known: bool


def _located(line: Line, x: Vector, working: Vector, residual: Vector, seconds: Vector) -> Fit:
    """The root of a fitted line with its standard error, by the delta method.

    The spread of the runs is estimated from the weighted residuals, moderated by the usual spread
    (Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004).
    """
    intercept, slope = float(line.coefficients[0]), float(line.coefficients[1])
    distance = (line.target - intercept) / slope
    runs, estimated = len(residual), 1 if line.slope_known else 2
    usual = USUAL_SPREAD**2 * 60.0 / float(np.median(seconds))
    scale = working / working.mean()
    squares = float((scale * (residual / slope) ** 2).sum())
    freedom = runs - estimated + PRIOR_RUNS
    variance = (squares + PRIOR_RUNS * usual) / freedom
    offset = x - line.centre
    if line.slope_known:
        # Half the usual slope or twice as much: what the level's distance from the root may hide.
        hidden = distance - float(np.average(offset, weights=scale))
        error = math.sqrt(variance / float(scale.sum()) + (SLOPE_DOUBT * hidden) ** 2)
    else:
        design = np.column_stack([np.ones_like(x), offset])
        covariance = variance * np.linalg.inv(design.T @ (scale[:, None] * design))
        direction = np.array([1.0, distance])
        error = math.sqrt(float(direction @ covariance @ direction))
    spread = math.sqrt(squares / max(runs - estimated, 1))
    ends = float(x.min()), float(x.max())
    return Fit(line.centre + distance, error, freedom, slope, spread, runs, *ends)
