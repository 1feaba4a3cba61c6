"""Tests by ranks, against SciPy's."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from headcount.analyse.statistics.ranks import kendall, mann_whitney, sen

COARSE = st.integers(-5, 5).map(float)
FINE = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))


def samples(least: int, most: int) -> st.SearchStrategy[list[float]]:
    """Values with many ties, or hardly any."""
    return st.one_of(
        st.lists(COARSE, min_size=least, max_size=most),
        st.lists(FINE, min_size=least, max_size=most, unique=True),
    )


@given(values=samples(2, 45))
def test_kendall_matches_scipy(values: Sequence[float]) -> None:
    tau, p = kendall(values)
    if min(values) == max(values):
        assert (tau, p) == (0.0, 1.0)
        return
    known = stats.kendalltau(range(len(values)), values)
    assert tau == pytest.approx(known.statistic, abs=1e-12)
    assert p == pytest.approx(known.pvalue, abs=1e-9)


@given(values=samples(2, 45))
def test_sens_slope_matches_scipy(values: Sequence[float]) -> None:
    found, known = sen(values), stats.theilslopes(values)
    assert found.slope == pytest.approx(known.slope)
    if min(values) < max(values):
        assert (found.low, found.high) == pytest.approx((known.low_slope, known.high_slope))


@given(one=samples(1, 25), two=samples(1, 25))
def test_mann_whitney_matches_scipy(one: Sequence[float], two: Sequence[float]) -> None:
    p = mann_whitney(one, two)
    assert p == pytest.approx(mann_whitney(two, one))
    if len({*one, *two}) == 1:
        assert p == 1.0
        return
    assert p == pytest.approx(stats.mannwhitneyu(one, two).pvalue, abs=1e-9)


def test_long_series_keep_their_precision() -> None:
    rising = [float(value) for value in range(200)]
    assert kendall(rising)[1] == pytest.approx(stats.kendalltau(rising, rising).pvalue)
    shuffled = rising[100:] + rising[:100]
    known = stats.kendalltau(range(200), shuffled)
    assert kendall(shuffled) == pytest.approx((known.statistic, known.pvalue))
    assert mann_whitney(rising[:3], rising[3:]) == pytest.approx(
        stats.mannwhitneyu(rising[:3], rising[3:]).pvalue
    )
