"""Change points against brute force from the definition, and against another program's answers."""

import itertools
import math

import numpy as np
import pytest
import ruptures
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.analyse.statistics import change
from headcount.analyse.statistics.change import changes
from headcount.analyse.statistics.energy import divergences, permuted

SEED = 20_260_109
NIGHTS = [
    *(100.31, 98.97, 100.75, 100.95, 98.07, 98.71, 100.13, 99.68, 99.98, 99.15, 100.88, 100.78),
    *(100.07, 101.13, 100.47, 99.14, 100.37, 99.05, 100.88, 99.95, 99.82, 99.32, 101.23, 99.85),
    *(99.57, 92.67, 93.49, 93.34, 93.38, 93.4, 95.01, 92.62, 92.53, 92.25, 93.58, 94.06, 92.9),
    *(92.22, 92.24, 93.6, 93.7, 93.5, 92.39, 93.21, 93.11, 96.93, 97.57, 96.93, 97.38, 96.79),
    *(97.0, 97.33, 95.32, 96.41, 96.26, 96.1, 96.46, 98.18, 95.89, 97.66),
]
"""Sixty nights with a loss of 7 % and a gain of 4 %; Apache Otava 0.8.0 (window 50, p 0.001,
magnitude 2 %) finds changes at 25 and 45."""


def by_definition(values: list[float], cut: int) -> float:
    """Equation 5 of Matteson and James with alpha 1, pair by pair."""
    before, after = values[:cut], values[cut:]
    n, m = len(before), len(after)

    def within(side: list[float]) -> float:
        return sum(abs(a - b) for a, b in itertools.combinations(side, 2)) / math.comb(len(side), 2)

    across = sum(abs(a - b) for a in before for b in after) * 2 / (n * m)
    return n * m / (n + m) * (across - within(before) - within(after))


@settings(deadline=None)  # scipy is loaded when it is first used
@given(st.lists(st.floats(-100, 100), min_size=5, max_size=14), st.integers(2, 4))
def test_divergences_are_their_definition(values: list[float], least: int) -> None:
    found = divergences(np.array(values), least)
    for cut in range(len(values)):
        if least <= cut <= len(values) - least:
            assert found[cut] == pytest.approx(by_definition(values, cut), abs=1e-8)
        else:
            assert found[cut] == -math.inf


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(9)), st.lists(st.floats(-10, 10), min_size=9, max_size=9))
def test_permuted_is_the_greatest_of_each_order(order: list[int], values: list[float]) -> None:
    series = np.array(values)
    orders = np.array([order, list(range(9))])
    expected = [divergences(series[row], 3).max() for row in orders]
    assert permuted(series, 3, orders) == pytest.approx(expected, abs=1e-9)


def test_two_changes_are_found_where_another_program_finds_them() -> None:
    found = changes(NIGHTS)
    assert [each.index for each in found] == [25, 45]
    loss, gain = found
    assert (loss.first, loss.end) == (0, 45)
    assert (gain.first, gain.end) == (25, 60)
    assert loss.size == pytest.approx(np.mean(NIGHTS[25:45]) / np.mean(NIGHTS[:25]) - 1, abs=1e-3)
    assert loss.groups.ratio.high < 0.94
    assert gain.size == pytest.approx(0.04, abs=0.01)
    assert gain.groups.runs == (20, 15)


def test_the_magnitude_leaves_out_small_changes() -> None:
    assert [each.index for each in changes(NIGHTS, magnitude=0.05)] == [25]
    assert changes(NIGHTS, magnitude=0.2) == []


def test_the_scale_of_the_figures_does_not_matter_and_time_may_run_backwards() -> None:
    assert [c.index for c in changes([night * 1e6 for night in NIGHTS])] == [25, 45]
    assert [c.index for c in changes(NIGHTS[::-1])] == [15, 35]


def test_a_series_that_never_changed_rarely_shows_a_change() -> None:
    stream = np.random.default_rng(SEED)
    found = sum(
        bool(changes((100 * np.exp(row)).tolist())) for row in stream.normal(0, 0.04, (60, 60))
    )
    # Two or three windows at half a per cent: 0.9 of 60 are expected, seven would be six sigma.
    assert found <= 6


def test_a_single_outlier_is_not_a_change() -> None:
    stream = np.random.default_rng(SEED)
    values = 100 * np.exp(stream.normal(0, 0.01, 40))
    values[20] *= 0.7
    assert changes(values.tolist()) == []


def test_changes_beyond_the_first_window_are_found() -> None:
    stream = np.random.default_rng(SEED)
    values = 100 * np.exp(stream.normal(0, 0.01, 170))
    values[:30] *= 0.9
    values[140:] *= 1.1
    found = changes(values.tolist())
    assert [each.index for each in found] == [30, 140]
    assert (found[1].first, found[1].end) == (30, 170)


def test_few_runs_and_constant_runs_have_no_changes() -> None:
    assert changes([]) == []
    assert changes([100.0, 90.0, 80.0, 70.0, 60.0]) == []
    assert changes([100.0] * 60) == []


def test_a_step_without_noise_is_found_exactly() -> None:
    found = changes([100.0] * 20 + [90.0] * 20)
    assert [(each.index, round(each.size, 6)) for each in found] == [(20, -0.1)]


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_figures_without_a_logarithm_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="above zero"):
        changes([1.0, 2.0, bad])


def test_windows_cover_the_series_and_the_last_ends_with_it() -> None:
    assert change._starts(30, 50) == [0]
    assert change._starts(50, 50) == [0]
    assert change._starts(60, 50) == [0, 10]
    assert change._starts(120, 50) == [0, 25, 50, 70]


@pytest.mark.parametrize("seed", range(6))
def test_ruptures_finds_the_same_changes(seed: int) -> None:
    """Against optimal partitioning of another library (PELT, Killick and others 2012)."""
    random = np.random.default_rng(seed)
    levels = np.repeat(100 * np.cumprod([1, *random.choice([0.92, 1.08], 3)]), 15)
    values = levels * np.exp(random.normal(0, 0.01, len(levels)))
    penalty = 3 * 0.01**2 * math.log(len(values))
    cost = ruptures.Pelt(model="l2", min_size=change.LEAST, jump=1).fit(np.log(values))
    theirs = cost.predict(pen=penalty)[:-1]  # the last one is the end of the series
    ours = [one.index for one in changes(list(values))]
    assert len(theirs) == 3
    assert ours == pytest.approx(theirs, abs=1)
