"""Two groups of runs and quotients against scipy, brute force and a textbook."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from headcount.analyse.statistics import shift
from headcount.analyse.statistics.ratio import Measured, quotient
from headcount.analyse.statistics.samples import compare, satterthwaite
from headcount.analyse.statistics.student import LogRatio, p_value, quantile

figures = st.floats(0.1, 1e4)
TERM = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
EARLY = [1.15, 0.88, 0.90, 0.74, 1.21]
"""Permeability of Hollander and Wolfe, table 4.1."""


@settings(deadline=None)  # scipy is loaded when it is first used
@given(
    st.lists(figures, min_size=2, max_size=12),
    st.lists(figures, min_size=2, max_size=12),
)
def test_the_ratio_matches_scipys_welch_test_on_logs(
    first: list[float], second: list[float]
) -> None:
    found = compare(first, second)
    assert found is not None
    a, b = np.log(first), np.log(second)
    if min(np.std(a), np.std(b)) < 1e-6:
        return  # scipy warns of lost precision
    test = stats.ttest_ind(b, a, equal_var=False)
    ends = test.confidence_interval(0.95)
    assert found.ratio.freedom == pytest.approx(float(test.df), rel=1e-6)
    assert found.ratio.log == pytest.approx(b.mean() - a.mean(), abs=1e-9)
    assert found.ratio.p == pytest.approx(float(test.pvalue), rel=1e-6, abs=1e-12)
    half = quantile(found.ratio.freedom) * found.ratio.error
    assert half == pytest.approx((ends.high - ends.low) / 2, rel=1e-6)
    assert found.runs == (len(first), len(second))
    assert found.spreads == pytest.approx((np.std(a, ddof=1), np.std(b, ddof=1)), rel=1e-6)


def test_hodges_lehmann_between_groups_matches_the_textbook() -> None:
    found = shift.between(TERM, EARLY)
    assert found is not None
    assert found.value == pytest.approx(-0.305)
    assert (found.low, found.high) == (pytest.approx(-0.76), pytest.approx(0.15))
    assert found.confidence == pytest.approx(0.96, abs=2e-3)


@settings(deadline=None, max_examples=25)  # scipy is loaded when it is first used
@given(
    st.lists(st.integers(-500, 500), min_size=3, max_size=5, unique=True),
    st.lists(st.integers(-500, 500), min_size=5, max_size=6, unique=True),
)
def test_the_interval_holds_what_the_exact_rank_sum_test_does_not_reject(
    first: list[int], second: list[int]
) -> None:
    """By scipy's exact p-value, at shifts between all differences."""
    found = shift.between(first, second)
    assert found is not None
    differences = sorted({b - a for a in first for b in second})
    for low, high in itertools.pairwise([differences[0] - 1, *differences, differences[-1] + 1]):
        moved = low + (high - low) * 0.437
        p = stats.mannwhitneyu([b - moved for b in second], first, method="exact").pvalue
        assert (found.low < moved < found.high) == (p > 0.05)


def test_groups_too_small_for_95_percent_have_no_interval_by_ranks() -> None:
    assert shift.between([1, 2, 3], [4, 5, 6, 7]) is None
    assert shift.between([], [1.0]) is None
    found = shift.between([1, 2, 3, 4], [5, 6, 7, 8])
    assert found is not None
    assert found.confidence == pytest.approx(1 - 2 / 70)


def test_large_groups_join_the_exact_distribution_smoothly() -> None:
    stream = np.random.default_rng(3)
    a, b = stream.normal(0, 1, 50), stream.normal(1, 1, 51)
    exact, approximate = shift.between(a.tolist(), b[:50].tolist()), shift.between(a, b)
    assert exact is not None
    assert approximate is not None
    assert approximate.high - approximate.low == pytest.approx(exact.high - exact.low, rel=0.05)


def test_figures_without_a_logarithm_or_a_second_run_have_no_ratio() -> None:
    assert compare([1.0], [1.0, 2.0]) is None
    assert compare([1.0, 2.0], [1.0]) is None
    for bad in (0.0, -1.0, math.nan, math.inf):
        assert compare([1.0, 2.0], [1.0, bad]) is None


@settings(deadline=None)  # scipy is loaded when it is first used
@given(st.lists(figures, min_size=2, max_size=9), st.lists(figures, min_size=2, max_size=9))
def test_spreads_are_compared_by_fishers_f(first: list[float], second: list[float]) -> None:
    found = compare(first, second)
    assert found is not None
    a, b = np.var(np.log(first), ddof=1), np.var(np.log(second), ddof=1)
    if min(a, b) < 1e-9:
        return
    f = stats.f(len(second) - 1, len(first) - 1)
    p = 2 * min(float(f.cdf(b / a)), float(f.sf(b / a)))
    if abs(p - 0.01) > 1e-9:
        assert found.same_spread == (p > 0.01)


def test_two_sides_without_spread_have_the_same_spread() -> None:
    constant, spread = compare([1.0, 1.0], [2.0, 2.0]), compare([1.0, 1.0], [1.0, 2.0])
    assert constant is not None
    assert constant.same_spread
    assert spread is not None
    assert not spread.same_spread


def test_satterthwaite_of_known_and_of_no_errors() -> None:
    assert satterthwaite((1.0, 7.0)) == pytest.approx(7)
    assert satterthwaite((1.0, 9.0), (1.0, 9.0)) == pytest.approx(18)
    assert satterthwaite((1.0, math.inf), (2.0, math.inf)) == math.inf
    assert satterthwaite((0.0, 3.0), (0.0, 4.0)) == 7


def interval(value: float, error: float, freedom: float) -> Measured:
    half = quantile(freedom) * error
    return Measured(value, value * math.exp(-half), value * math.exp(half), freedom)


@settings(deadline=None)  # scipy is loaded when it is first used
@given(
    st.floats(1, 1e4),
    st.floats(1, 1e4),
    st.floats(1e-3, 0.3),
    st.floats(1e-3, 0.3),
    st.integers(3, 60),
    st.integers(3, 60),
)
def test_a_quotient_of_symmetric_intervals_matches_the_textbook(
    a: float, b: float, error_a: float, error_b: float, freedom_a: int, freedom_b: int
) -> None:
    found = quotient(interval(a, error_a, freedom_a), interval(b, error_b, freedom_b))
    assert found is not None
    error = math.sqrt(error_a**2 + error_b**2)
    freedom = error**4 / (error_a**4 / freedom_a + error_b**4 / freedom_b)
    half = stats.t.ppf(0.975, freedom) * error
    assert found.freedom == pytest.approx(freedom)
    assert found.value == pytest.approx(a / b)
    assert found.low == pytest.approx(a / b * math.exp(-half))
    assert found.high == pytest.approx(a / b * math.exp(half))
    assert found.differs == (found.low > 1 or found.high < 1)


def test_a_quotient_of_unknown_freedom_takes_the_intervals_as_they_are() -> None:
    found = quotient(Measured(200, 190, 210), Measured(100, 90, 120))
    assert found is not None
    down = math.hypot(math.log(200 / 190), math.log(120 / 100))
    up = math.hypot(math.log(210 / 200), math.log(100 / 90))
    assert found.low == pytest.approx(2 * math.exp(-down))
    assert found.high == pytest.approx(2 * math.exp(up))


def test_an_open_end_stays_open() -> None:
    found = quotient(Measured(200, 190, math.inf), Measured(100, 0, 120))
    assert found is not None
    assert (found.low > 1, found.high) == (True, math.inf)
    found = quotient(Measured(200, 0, 210), Measured(100, 90, 110))
    assert found is not None
    assert (found.low, found.differs) == (0, False)


@pytest.mark.parametrize("wrong", [(0, 0, 0), (5, 6, 7), (5, 3, 4), (math.nan, 1, 2), (-1, -2, 0)])
def test_an_unsound_figure_has_no_quotient(wrong: tuple[float, float, float]) -> None:
    assert quotient(Measured(*wrong), Measured(1, 1, 1)) is None
    assert quotient(Measured(1, 1, 1), Measured(*wrong)) is None


def test_an_exact_figure_leaves_the_interval_of_the_other() -> None:
    found = quotient(Measured(10, 10, 10), interval(5, 0.1, 9))
    assert found is not None
    assert found.low == pytest.approx(2 * math.exp(-quantile(9) * 0.1))


def test_quantiles_and_p_values_are_those_of_tables() -> None:
    assert quantile(9) == pytest.approx(2.262, abs=5e-4)
    assert quantile(math.inf) == pytest.approx(1.960, abs=5e-4)
    assert quantile(4, 0.99) == pytest.approx(4.604, abs=5e-4)
    assert p_value(2.262, 9) == pytest.approx(0.05, abs=1e-4)
    assert p_value(-1.96, math.inf) == pytest.approx(0.05, abs=1e-4)
    assert p_value(math.nan, 9) == 1


def test_a_ratio_too_wide_for_a_double_is_open() -> None:
    wide = LogRatio(0.0, 500.0, 1)
    assert (wide.low, wide.high, wide.value) == (0, math.inf, 1)
