"""Equality within a margin, against the confidence that it promises."""

from random import Random

import pytest
from scipy import stats

from headcount.analyse.compare.comparison import Difference, Reading
from headcount.analyse.compare.within import equality


def difference(ratio: float, interval: tuple[float, float] | None) -> Difference:
    return Difference(
        metric="throughput",
        label="throughput",
        unit="1/s",
        better="higher",
        at="level",
        users=40,
        first="A",
        second="B",
        a=Reading(value=100.0),
        b=Reading(value=100.0 * ratio),
        ratio=ratio,
        interval=interval,
        method="pairs",
        indicative=False,
        finding="no difference shown",
        change=ratio - 1,
        reverse=1 / ratio - 1,
        words="",
    )


@pytest.mark.parametrize(
    ("interval", "result"),
    [
        ((0.985, 1.015), "equal"),
        ((0.985, 1.03), "not shown"),
        ((0.97, 1.03), "not shown"),
        ((1.021, 1.05), "different"),
        ((0.90, 0.95), "different"),
        (None, "not shown"),
    ],
)
def test_the_whole_interval_must_lie_within(
    interval: tuple[float, float] | None, result: str
) -> None:
    assert equality(difference(1.0, interval), 0.02).result == result


def test_a_difference_of_just_the_margin_is_called_equal_one_time_in_forty() -> None:
    """Ten pairs whose log ratios scatter by 1%, around exactly 2% more: 2.5% by two tests of 95%
    intervals, and fewer where the interval is too wide."""
    random, margin, wrong, number = Random(7), 0.02, 0, 4000
    t = float(stats.t.ppf(0.975, 9))
    for _ in range(number):
        logs = [random.gauss(0.0198026, 0.01) for _ in range(10)]
        mean = sum(logs) / 10
        half = t * (sum((one - mean) ** 2 for one in logs) / 9) ** 0.5 / 10**0.5
        low, high = 2.718281828 ** (mean - half), 2.718281828 ** (mean + half)
        wrong += equality(difference(1.02, (low, high)), margin).result == "equal"
    assert wrong / number < 0.025 + 3 * (0.025 * 0.975 / number) ** 0.5
    assert wrong / number > 0.01
