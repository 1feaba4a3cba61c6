"""Intervals and comparisons, against their textbook definitions."""

import math
import random

import pytest
from scipy import stats

from headcount.sort import statistics
from headcount.sort.statistics import Estimate


def test_the_interval_is_student_s() -> None:
    times = [1.0, 1.1, 1.3, 0.9]
    logs = [math.log(value) for value in times]
    expected = stats.ttest_1samp(logs, 0).confidence_interval(0.95)
    found = statistics.middle(times)
    assert found.value == pytest.approx(stats.gmean(times), rel=1e-12)
    assert found.low == pytest.approx(math.exp(expected.low), rel=1e-9)
    assert found.high == pytest.approx(math.exp(expected.high), rel=1e-9)


def test_one_measurement_has_no_interval_and_no_difference() -> None:
    assert statistics.middle([2.0]) == Estimate(2.0, None, None)
    assert not statistics.differs(statistics.ratio([1.0], [2.0]))


def test_pairs_share_what_disturbed_their_round() -> None:
    before = [1.0, 5.0, 2.0, 9.0]
    after = [0.69 * value for value in before]
    found = statistics.saved_share(before, after)
    assert found.value == pytest.approx(0.31, rel=1e-9)
    assert found.low == pytest.approx(0.31, rel=1e-6)
    assert statistics.differs(statistics.ratio(before, after))


def test_the_paper_s_ten_best_are_not_ranked() -> None:  # S-11
    best = [57.8, 58.2, 58.6, 58.6, 58.7]
    others = [58.7, 58.7, 58.8, 59.0, 59.1]
    assert not statistics.differs(Estimate(1.004, 1.003, 1.005))
    assert statistics.differs(Estimate(1.02, 1.01, 1.03))
    assert not statistics.differs(statistics.ratio(best, [*best[1:], best[0]]))
    found = statistics.ratio(best, others)
    assert found.value == pytest.approx(stats.gmean(others) / stats.gmean(best), rel=1e-12)


def test_several_comparisons_at_a_time_widen_the_interval() -> None:
    before, after = [1.0, 1.1, 0.9, 1.05], [1.2, 1.25, 1.1, 1.3]
    alone = statistics.ratio(before, after)
    among = statistics.ratio(before, after, comparisons=10)
    assert alone.low is not None
    assert among.low is not None
    assert among.low < alone.low < alone.value == among.value


def test_equal_settings_are_rarely_called_different() -> None:
    draw = random.Random(1)
    wrong = 0
    for _ in range(400):
        times = [[draw.lognormvariate(0, 0.1) for _ in range(5)] for _ in range(2)]
        wrong += statistics.differs(statistics.ratio(*times))
    assert wrong <= 36  # 5% of 400, and four standard errors
