"""Ratios from pairs of runs against scipy, brute force and the values of textbooks."""

import itertools
import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from headcount.analyse.statistics import shift
from headcount.analyse.statistics.pairs import compare, pairs_needed, power

figures = st.floats(0.01, 1e6)
BEFORE = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
AFTER = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
"""The depression scale of Hollander and Wolfe, table 3.1."""


@settings(deadline=None)  # scipy is loaded when it is first used
@given(st.lists(st.tuples(figures, figures), min_size=2, max_size=30))
def test_the_ratio_matches_scipys_paired_t_test_on_logs(
    pairs: list[tuple[float, float]],
) -> None:
    found = compare(pairs)
    assert found is not None
    logs = [math.log(b / a) for a, b in pairs]
    assert found.ratio.value == pytest.approx(math.exp(statistics.fmean(logs)), rel=1e-9)
    assert found.pairs == len(pairs)
    assert found.indicative == (len(pairs) <= 4)
    if found.spread < 1e-6:
        return  # scipy warns of lost precision where all pairs are the same
    test = stats.ttest_1samp(logs, 0.0)
    ends = test.confidence_interval(0.95)
    assert found.spread == pytest.approx(statistics.stdev(logs), rel=1e-6)
    assert math.log(found.ratio.low or 1e-300) == pytest.approx(max(ends.low, -690), abs=1e-6)
    if ends.high < 700:
        assert math.log(found.ratio.high) == pytest.approx(ends.high, rel=1e-6, abs=1e-6)
    assert found.ratio.p == pytest.approx(float(test.pvalue), rel=1e-6, abs=1e-12)


@settings(deadline=None)  # scipy is loaded when it is first used
@given(st.lists(st.tuples(figures, figures), min_size=6, max_size=12))
def test_swapping_the_sides_inverts_the_ratio(pairs: list[tuple[float, float]]) -> None:
    there, back = compare(pairs), compare([(b, a) for a, b in pairs])
    assert there is not None
    assert back is not None
    assert there.ratio.value * back.ratio.value == pytest.approx(1)
    assert there.shift is not None
    assert back.shift is not None
    assert there.shift.value * back.shift.value == pytest.approx(1)
    assert there.shift.low * back.shift.high == pytest.approx(1)


def test_hodges_lehmann_of_pairs_matches_the_textbook() -> None:
    found = shift.of_pairs([b - a for a, b in zip(BEFORE, AFTER, strict=True)])
    assert found is not None
    assert found.value == pytest.approx(-0.46, abs=5e-4)
    assert (found.low, found.high) == (pytest.approx(-0.786), pytest.approx(-0.010))
    assert found.confidence == pytest.approx(0.961, abs=1e-3)


@settings(deadline=None)  # scipy is loaded when it is first used
@given(st.lists(st.integers(-1000, 1000), min_size=6, max_size=8, unique_by=abs))
def test_the_interval_holds_what_the_exact_signed_rank_test_does_not_reject(
    values: list[int],
) -> None:
    """By every one of the 2^n signs, at centres between the Walsh averages."""
    found = shift.of_pairs(values)
    assert found is not None
    count = len(values)
    sums = [sum(taken) for taken in itertools.product(*[(0, r + 1) for r in range(count)])]
    averages = sorted({(a + b) / 2 for a, b in itertools.combinations_with_replacement(values, 2)})
    for low, high in itertools.pairwise([averages[0] - 1, *averages, averages[-1] + 1]):
        centre = low + (high - low) * 0.437  # no tie, no zero
        away = [value - centre for value in values]
        ranks = stats.rankdata(np.abs(away))
        total = sum(rank for rank, value in zip(ranks, away, strict=True) if value > 0)
        least = min(total, count * (count + 1) / 2 - total)
        p = 2 * sum(s <= least for s in sums) / len(sums)
        assert (found.low < centre < found.high) == (p > 0.05)


def test_of_pairs_needs_six_and_then_takes_all() -> None:
    assert shift.of_pairs([1, 2, 3, 4, 5]) is None
    found = shift.of_pairs([1, 2, 3, 4, 5, 6])
    assert found is not None
    assert (found.low, found.high, found.confidence) == (1, 6, 1 - 2 / 64)


def test_many_pairs_join_the_exact_distribution_smoothly() -> None:
    stream = np.random.default_rng(7)
    values = stream.normal(0, 1, shift.EXACT_PAIRS)
    exact = shift.of_pairs(values.tolist())
    more = shift.of_pairs([*values.tolist(), 0.0])
    assert exact is not None
    assert more is not None
    assert more.high - more.low == pytest.approx(exact.high - exact.low, rel=0.05)


def test_an_outlier_moves_the_ranks_less_than_the_mean() -> None:
    pairs = [(100.0, 103.0 + d) for d in (-0.4, -0.2, -0.1, 0.0, 0.1, 0.3, 0.4)] + [(100.0, 900.0)]
    found = compare(pairs)
    assert found is not None
    assert found.shift is not None
    assert found.shift.value == pytest.approx(1.03, abs=0.005)
    assert found.ratio.value > 1.3


def test_figures_without_a_logarithm_have_no_ratio() -> None:
    assert compare([(1.0, 2.0)]) is None
    assert compare([]) is None
    for bad in (0.0, -1.0, math.nan, math.inf):
        assert compare([(1.0, 2.0), (1.0, 2.0), (bad, 2.0)]) is None


def test_pairs_without_any_spread_are_sure() -> None:
    same, twice = compare([(3.0, 3.0)] * 5), compare([(1.0, 2.0)] * 5)
    assert same is not None
    assert twice is not None
    assert (same.ratio.low, same.ratio.high, same.ratio.p) == (1, 1, 1)
    assert twice.ratio.low == twice.ratio.high == pytest.approx(2)
    assert twice.ratio.p == 0


@pytest.mark.parametrize(("effect", "needed"), [(1.0, 10), (0.5, 34), (0.2, 199), (2.0, 5)])
def test_the_number_of_pairs_matches_other_programs(effect: float, needed: int) -> None:
    """R's power.t.test(type = "paired") gives 9.94, 33.37, 198.15 and 4.22 pairs."""
    assert pairs_needed(0.01, math.exp(0.01 * effect)) == needed
    assert pairs_needed(0.01, math.exp(-0.01 * effect)) == needed


def test_the_power_is_the_share_of_significant_results() -> None:
    stream = np.random.default_rng(11)
    count, spread, ratio, times = 8, 0.02, 1.02, 4_000
    drawn = stream.normal(math.log(ratio), spread, (times, count))
    p = stats.ttest_1samp(drawn, 0.0, axis=1).pvalue
    predicted = power(count, spread, ratio)
    # Four binomial standard errors.
    assert np.mean(p < 0.05) == pytest.approx(
        predicted, abs=4 * math.sqrt(predicted * (1 - predicted) / times)
    )


def test_the_least_number_of_pairs_has_the_power_and_one_less_does_not() -> None:
    for spread, ratio in itertools.product((0.01, 0.02, 0.03, 0.05), (1.01, 1.02, 1.03, 1.05)):
        needed = pairs_needed(spread, ratio)
        assert needed is not None
        assert power(needed, spread, ratio) >= 0.8 > power(needed - 1, spread, ratio)


def test_differences_that_cannot_be_shown_have_no_number_of_pairs() -> None:
    assert pairs_needed(0.05, 1.0) is None
    assert pairs_needed(0.05, 0.0) is None
    assert pairs_needed(1.0, 1.0001) is None
    assert pairs_needed(0.0, 1.1) == 2
    assert pairs_needed(0.001, 10.0) == 2
    assert power(1, 0.01, 1.5) == 0
