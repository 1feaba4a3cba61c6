"""The regressions against independent computations."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from headcount.analyse.search import Share, Value
from headcount.analyse.search.regression import (
    PRIOR_RUNS,
    SLOPE,
    USUAL_SPREAD,
    fit_shares,
    fit_values,
    ridge,
)

TARGET = math.log(0.05 / 0.95)


def drawn(seed: int, runs: int = 12, slope: float = 25.0, spread: float = 0.02):
    """Runs around a capacity of 900 with a run-to-run effect, as (ln users, shares, seconds)."""
    random = np.random.default_rng(seed)
    x = np.log(900) + np.tile([-0.04, 0.04], runs // 2) + random.normal(0, 0.005, runs)
    effect = random.normal(0, spread, runs)
    share = 1 / (1 + np.exp(-(TARGET + slope * (x - math.log(900) + effect))))
    total = random.integers(9_000, 12_000, runs)
    bad = random.binomial(total, share)
    return (
        list(x),
        [Share("r", float(b), float(t), 0.05) for b, t in zip(bad, total, strict=True)],
        [60.0] * runs,
    )


def test_shares_match_a_direct_maximisation_of_the_likelihood():
    x, shares, seconds = drawn(1)
    fit = fit_shares(x, shares, seconds)
    centre = np.mean(x)
    total = np.array([s.total for s in shares])
    y = np.array([s.bad for s in shares]) / total
    weight = total / total.mean()

    def loss(beta):
        eta = beta[0] + beta[1] * (np.array(x) - centre)
        likelihood = weight @ (y * eta - np.logaddexp(0, eta))
        return -likelihood + ridge(TARGET) / 2 * (beta[1] - SLOPE) ** 2

    best = optimize.minimize(loss, [TARGET, 20.0], method="Nelder-Mead", options={"xatol": 1e-9})
    assert fit.slope == pytest.approx(best.x[1], rel=1e-3)
    assert fit.root == pytest.approx(centre + (TARGET - best.x[0]) / best.x[1], abs=1e-5)


def test_values_match_linear_regression():
    random = np.random.default_rng(2)
    x = np.log(900) + random.normal(0, 0.04, 10)
    z = 3.0 * (x - math.log(900)) + random.normal(0, 0.05, 10)
    values = [Value("mean", math.exp(v), 1.0) for v in z]
    fit = fit_values(list(x), values, [60.0] * 10)
    line = stats.linregress(x, z)
    assert fit.slope == pytest.approx(line.slope)
    assert fit.root == pytest.approx(-line.intercept / line.slope)
    # Without moderation the delta method's variance of the root, by the textbook formula:
    residual = z - line.intercept - line.slope * x
    plain = residual @ residual / line.slope**2
    variance = (plain + PRIOR_RUNS * USUAL_SPREAD**2) / (8 + PRIOR_RUNS)
    centred = x - x.mean()
    expected = variance * (1 / 10 + (fit.root - x.mean()) ** 2 / (centred @ centred))
    assert fit.error == pytest.approx(math.sqrt(expected))
    assert fit.half_width == pytest.approx(stats.t.ppf(0.975, 8 + PRIOR_RUNS) * fit.error)


def marginal_root(slope: float, spread: float) -> float:
    """Where the share averaged over the run-to-run effect is 5 %, by brute force."""
    points = np.linspace(-5, 5, 401)
    weights = stats.norm.pdf(points) / stats.norm.pdf(points).sum()

    def excess(distance: float) -> float:
        return weights @ (1 / (1 + np.exp(-(TARGET + slope * (distance + spread * points))))) - 0.05

    return math.log(900) + optimize.brentq(excess, -0.1, 0.1)


@pytest.mark.parametrize("spread", [0.01, 0.025])
def test_the_standard_error_is_that_of_repeated_experiments(spread):
    fits = [fit_shares(*drawn(seed, spread=spread)) for seed in range(300)]
    roots = np.array([fit.root - marginal_root(25.0, spread) for fit in fits])
    errors = np.array([fit.error for fit in fits])
    covered = np.mean([abs(r) <= f.half_width for r, f in zip(roots, fits, strict=True)])
    assert abs(roots.mean()) < 0.002
    assert 0.92 <= covered <= 1.0
    assert roots.std() <= 1.15 * errors.mean()
    assert np.median([fit.spread for fit in fits]) == pytest.approx(spread, rel=0.35)


def test_without_a_slope_the_usual_one_stands_in():
    x = [math.log(900)] * 3
    shares = [Share("r", 1_000.0, 10_000.0, 0.05)] * 3
    fit = fit_shares(x, shares, [60.0] * 3)
    assert fit.slope == SLOPE
    expected = math.log(900) - (math.log(0.1 / 0.9) - TARGET) / SLOPE
    assert fit.root == pytest.approx(expected, abs=1e-4)
    # Half or twice the usual slope must be within the interval.
    assert fit.low < math.log(900) - (math.log(0.1 / 0.9) - TARGET) / (SLOPE / 2)
    assert fit.high > math.log(900) - (math.log(0.1 / 0.9) - TARGET) / (SLOPE * 2)


def test_a_falling_line_is_not_believed():
    x = [math.log(users) for users in (860, 900, 940)]
    shares = [Share("r", bad, 10_000.0, 0.05) for bad in (1_500.0, 500.0, 100.0)]
    fit = fit_shares(x, shares, [60.0] * 3)
    assert fit.slope == SLOPE
    assert fit.spread > 0.05


@pytest.mark.parametrize("bad", [0.0, 3.0, 10_000.0])
def test_shares_without_information_have_no_fit(bad):
    x = [math.log(users) for users in (860, 900, 940)]
    total = 10_000.0 if bad else 5.0
    assert (
        fit_shares(x, [Share("r", bad / 3 if bad < 10 else bad, total, 0.05)] * 3, [60.0] * 3)
        is None
    )


def test_without_levels_there_is_no_fit():
    assert fit_shares([], [], []) is None
    assert fit_values([], [], []) is None
