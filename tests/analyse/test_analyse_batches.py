"""The interval of a mean from batches, against SciPy's own and against how often it is right."""

import math
import random
import statistics

import pytest
from scipy import stats

from headcount.analyse import batches


def test_the_interval_is_students_t() -> None:
    values = [101.0, 97.5, 103.2, 99.0, 100.4, 98.8, 102.1]
    mean, error = statistics.mean(values), statistics.stdev(values) / math.sqrt(len(values))
    expected = stats.t.interval(0.95, len(values) - 1, loc=mean, scale=error)
    assert batches.interval(values) == pytest.approx(expected)
    assert batches.standard_error(values) == pytest.approx(error)


def test_the_interval_contains_the_truth_in_95_of_100() -> None:
    draw = random.Random(7)
    held = 0
    for _ in range(2000):
        low, high = batches.interval([draw.gauss(50, 5) for _ in range(10)]) or (0, 0)
        held += low <= 50 <= high
    assert held / 2000 == pytest.approx(0.95, abs=0.02)  # four standard errors


def test_too_few_batches_have_no_interval_and_rates_are_never_negative() -> None:
    assert batches.interval([1.0, 2.0]) is None
    low, _ = batches.interval([0.0, 0.0, 9.0]) or (math.nan, 0)
    assert low == 0
