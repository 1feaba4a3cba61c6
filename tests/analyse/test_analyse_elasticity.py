"""Elasticities against rates of known behaviour, and the interval against a table of t."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.analyse.elasticity import LEAST_PAIRS, elasticity


def test_the_elasticity_of_a_limit_is_one_and_of_others_zero() -> None:
    found = elasticity([(100.0, 70.0), (90.0, 63.0), (120.0, 84.0)] * 2, 0.7)
    assert found
    assert found.value == pytest.approx(1.0)
    assert found.answer == "confirmed"
    found = elasticity([(100.0, 100.0), (90.0, 90.0), (120.0, 120.0)] * 2, 0.7)
    assert found
    assert found.value == pytest.approx(0.0)
    assert found.answer == "refuted"


def test_the_interval_is_students_t() -> None:
    wanted = (0.2, 0.4, 0.9, 1.1, 1.4)
    found = elasticity([(50.0, 50.0 * 0.7**value) for value in wanted], 0.7)
    assert found
    spread = math.sqrt(sum((value - 0.8) ** 2 for value in wanted) / 4)
    half = 2.776445 * spread / math.sqrt(5)  # the quantile of a table, 4 degrees of freedom
    assert (found.value, found.low, found.high) == pytest.approx((0.8, 0.8 - half, 0.8 + half))
    assert found.answer == "undecided"


@given(st.floats(0.1, 0.95), st.lists(st.floats(1.0, 1e6), min_size=5, max_size=9), st.floats(0, 2))
def test_the_elasticity_is_the_exponent_at_any_rates_and_cut(
    cut: float, rates: list[float], exponent: float
) -> None:
    found = elasticity([(rate, rate * cut**exponent) for rate in rates], cut)
    assert found
    assert found.value == pytest.approx(exponent, abs=1e-6)
    assert found.low <= found.value <= found.high


def test_too_few_pairs_and_zero_throughput_have_no_elasticity() -> None:
    assert elasticity([(100.0, 70.0)] * (LEAST_PAIRS - 1), 0.7) is None
    assert elasticity([(100.0, 0.0)] * 9, 0.7) is None
