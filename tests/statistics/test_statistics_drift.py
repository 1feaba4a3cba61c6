"""Trends against brute force, and how often they are seen where there are none."""

import itertools
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.analyse.statistics.drift import drift


@settings(deadline=None)  # scipy is loaded when it is first used
@given(st.lists(st.integers(-50, 50), min_size=4, max_size=8, unique=True))
def test_the_p_value_is_the_share_of_orders_with_a_trend_as_strong(values: list[int]) -> None:
    """Kendall's S in every one of the n! orders, for up to seven values."""
    values = values[:7]
    found = drift(values)
    assert found is not None

    def score(order: tuple[int, ...] | list[int]) -> int:
        return sum((b > a) - (b < a) for a, b in itertools.combinations(order, 2))

    seen = abs(score(values))
    orders = [abs(score(order)) for order in itertools.permutations(range(len(values)))]
    assert found.p == pytest.approx(sum(s >= seen for s in orders) / len(orders))
    pairs = len(values) * (len(values) - 1) / 2
    assert found.tau == pytest.approx(score(values) / pairs)


@settings(deadline=None)  # scipy is loaded when it is first used
@given(st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=30))
def test_the_slope_is_the_median_of_all_slopes(values: list[float]) -> None:
    found = drift(values)
    assert found is not None
    slopes = [(b - a) / (j - i) for (i, a), (j, b) in itertools.combinations(enumerate(values), 2)]
    assert found.slope == pytest.approx(statistics.median(slopes), abs=1e-9)
    assert found.low <= found.slope + 1e-9
    assert found.slope <= found.high + 1e-9


def test_independent_values_show_a_trend_as_often_as_the_test_says() -> None:
    stream = np.random.default_rng(20_260_107)
    drawn = stream.exponential(1, (1_000, 20))
    found = [drift(series.tolist()) for series in drawn]
    share = statistics.fmean(d is not None and d.p < 0.05 for d in found)
    assert 0.02 <= share <= 0.075  # 5 % to within some four binomial standard errors


def test_a_trend_is_seen_with_its_size() -> None:
    found = drift([100 + 2 * step for step in range(11)])
    assert found is not None
    assert (found.tau, found.slope, found.low, found.high) == (1, 2, 2, 2)
    assert found.moved == pytest.approx(20 / 110)
    assert found.p < 1e-6
    assert found.counts(0.01, 0.05)
    assert not found.counts(0.01, 0.5)


def test_constant_and_short_series_have_no_trend() -> None:
    assert drift([1.0, 2.0, 3.0]) is None
    found = drift([5.0] * 10)
    assert found is not None
    assert (found.p, found.moved) == (1, 0)
