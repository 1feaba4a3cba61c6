"""Whether two capacities differ: an independent computation, and the noise they have."""

import math
import random
from statistics import NormalDist

import pytest

from headcount.analyse.capacities import Change, change
from headcount.bundle.verdict import Capacity


def capacity(
    estimate: float | None, low: float | None, high: float | None, *, at_least: bool = False
) -> Capacity:
    return Capacity(
        users=None,
        estimate=estimate,
        low=low,
        high=high,
        at_least=at_least,
        official_passed=False,
        binding=None,
    )


def capacity_of(mean: float, error: float) -> Capacity:
    """A capacity whose logarithm has this standard error."""
    z = NormalDist().inv_cdf(0.975)
    return capacity(mean, mean * math.exp(-z * error), mean * math.exp(z * error))


def test_errors_add_in_quadrature() -> None:
    found = change(capacity_of(200, 0.03), capacity_of(180, 0.04))
    assert found is not None
    z = NormalDist().inv_cdf(0.975)
    assert found.value == pytest.approx(-0.1)
    assert found.low == pytest.approx(0.9 * math.exp(-z * 0.05) - 1)
    assert found.high == pytest.approx(0.9 * math.exp(z * 0.05) - 1)
    assert found.is_difference
    assert not Change(0.01, -0.02, 0.04).is_difference


def test_equal_capacities_are_seldom_called_different() -> None:
    stream = random.Random(3)
    rounds = 2000
    wrong = 0
    for _ in range(rounds):
        one, other = (200 * math.exp(stream.gauss(0, 0.05)) for _ in range(2))
        found = change(capacity_of(one, 0.05), capacity_of(other, 0.05))
        assert found is not None
        wrong += found.is_difference
    assert wrong / rounds == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / rounds))


@pytest.mark.parametrize(
    "unknown",
    [
        None,
        capacity(None, None, None),
        capacity(200, 190, None),
        capacity(200, 190, 210, at_least=True),
    ],
)
def test_without_an_interval_nothing_is_compared(unknown: Capacity | None) -> None:
    assert change(capacity_of(200, 0.1), unknown) is None
    assert change(unknown, capacity_of(200, 0.1)) is None
