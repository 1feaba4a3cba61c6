"""Summaries of the steady window."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.counters.source import Sample
from headcount.counters.summary import MOST_VALUES, Summary, summarise


def test_figures_of_one_counter() -> None:
    values = [0.5, 0.1, 0.4, 0.2, 0.3]
    summary = summarise([Sample(float(at), {"x": value}) for at, value in enumerate(values)])
    assert summary == {
        "x": Summary(
            mean=pytest.approx(0.3),
            p95=pytest.approx(statistics.quantiles(values, n=20, method="inclusive")[-1]),
            maximum=0.5,
            last=0.3,
            samples=5,
        )
    }


def test_samples_without_a_counter_do_not_count_for_it() -> None:
    samples = [Sample(1, {}), Sample(2, {"x": 4.0}), Sample(3, {}), Sample(4, {"x": 8.0})]
    assert summarise(samples)["x"].mean == pytest.approx(6)
    assert summarise(samples)["x"].samples == 2
    assert summarise([Sample(1, {})]) == summarise([]) == {}


def test_one_sample() -> None:
    assert summarise([Sample(7, {"x": 3.0})]) == {"x": Summary(3, 3, 3, 3, 1)}


@given(st.integers(1, 20_000))
def test_percentiles_of_many_samples_use_evenly_spaced_ones(number: int) -> None:
    summary = summarise(Sample(float(at), {"x": float(at)}) for at in range(number))["x"]
    assert (summary.samples, summary.last, summary.maximum) == (number, number - 1, number - 1)
    assert summary.mean == pytest.approx((number - 1) / 2)
    every = 1
    while math.ceil(number / every) > MOST_VALUES:
        every *= 2
    assert summary.p95 == np.percentile(np.arange(0, number, every), 95)


GAPS = st.lists(st.tuples(st.floats(0.05, 20), st.integers(0, 10**6)), min_size=2, max_size=40)


@given(GAPS)
def test_the_mean_of_a_rate_is_what_was_counted_over_the_time_it_took(gaps) -> None:
    at_s, samples = 0.0, [Sample(0.0, {})]
    for gap_s, counted in gaps:
        at_s += gap_s
        samples.append(Sample(at_s, {"rate": counted / gap_s}))
    expected = sum(counted for _, counted in gaps) / at_s
    assert summarise(samples)["rate"].mean == pytest.approx(expected)


@given(st.lists(st.floats(0, 1e12), min_size=1, max_size=50))
def test_figures_are_in_order(values) -> None:
    summary = summarise([Sample(float(at), {"x": value}) for at, value in enumerate(values)])["x"]
    low, high = min(values), max(values)
    slack = 1e-9 * high
    assert low - slack <= summary.mean <= high + slack
    assert low - slack <= summary.p95 <= high + slack
    assert summary.maximum == high
