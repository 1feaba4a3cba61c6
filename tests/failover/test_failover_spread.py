"""The spread of outages over repetitions, against the binomial distribution of SciPy."""

import math
from random import Random

import pytest
from scipy import stats

from headcount.analyse.outage.spread import spread
from headcount.analyse.statistics.order import quantile


@pytest.mark.parametrize("share", [0.5, 0.95])
@pytest.mark.parametrize("number", [1, 5, 6, 30, 100, 300])
def test_the_interval_is_that_of_the_binomial_distribution(number: int, share: float) -> None:
    found = quantile(range(1, number + 1), share)
    low = int(stats.binom.ppf(0.025, number, share))
    # P(fewer than k are below) <= 2.5 %: the largest such k
    ranks = [k for k in range(1, number + 1) if stats.binom.cdf(k - 1, number, share) <= 0.025]
    assert found.low == (max(ranks) if ranks else None)
    assert found.low is None or found.low <= max(low, 1)
    above = [k for k in range(1, number + 1) if stats.binom.sf(k - 1, number, share) <= 0.025]
    assert found.high == (min(above) if above else None)


def test_the_interval_covers_the_median_as_often_as_it_says() -> None:
    random = Random(5)
    covered = 0
    for _ in range(2000):
        found = quantile([random.expovariate(1.0) for _ in range(30)], 0.5)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= math.log(2) <= found.high
    assert 0.95 <= covered / 2000 <= 0.98


def test_the_estimate_is_that_of_numpy() -> None:
    random = Random(3)
    values = [random.random() for _ in range(17)]
    for share in (0.0, 0.3, 0.5, 0.95, 1.0):
        expected = float(stats.mstats.mquantiles(values, [share], alphap=1, betap=1)[0])
        assert quantile(values, share).value == pytest.approx(expected)


def test_missing_values_count_as_longest() -> None:
    found = spread("served_s", [2.0, 1.0, None, 3.0, 4.0])
    assert (found.number, found.missing, found.median, found.worst) == (5, 1, 3.0, None)
    assert found.p95 is None
    assert spread("served_s", [None, None, 1.0]).median is None
    assert spread("served_s", [None] * 3).median is None
    one = spread("served_s", [1.5])
    assert (one.median, one.median_low, one.median_high, one.worst) == (1.5, None, None, 1.5)
