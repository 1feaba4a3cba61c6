"""Intervals, steady state and scores against brute force and simulation."""

import math
import statistics

import numpy as np
import pytest
from history import histogram
from hypothesis import given
from hypothesis import strategies as st

from headcount.analyse.score import harmonic_mean
from headcount.analyse.statistics.sections import SECTIONS
from headcount.analyse.steadiness import BLOCK, mser, steadiness, trend
from headcount.analyse.times import quantile_interval_ms, times_of

SEED = 20_260_101


def test_the_interval_of_a_p95_covers_the_truth_as_often_as_stated() -> None:
    stream = np.random.default_rng(SEED)
    mean_us, repetitions, each = 50_000, 500, 300
    truth_ms = mean_us * math.log(20) / 1000  # the 95th percentile of an exponential distribution
    covered, widths = 0, []
    for _ in range(repetitions):
        drawn = stream.exponential(mean_us, (SECTIONS, each)).astype(int)
        interval = quantile_interval_ms([histogram(part.tolist()) for part in drawn], 0.95)
        assert interval is not None
        covered += interval[0] <= truth_ms <= interval[1]
        widths.append(math.log(interval[1] / interval[0]))
    # 95 % to within three binomial standard errors, 2.9 points.
    assert 0.92 <= covered / repetitions <= 0.98
    # As wide as theory has it: p (1 - p) / n / density^2, relative to the percentile, times 2 t.
    error = math.sqrt(0.05 * 0.95 / (SECTIONS * each)) / 0.05 / math.log(20)
    assert statistics.mean(widths) == pytest.approx(2 * 2.262 * error, rel=0.15)


def test_an_interval_needs_enough_full_sections() -> None:
    full, thin = histogram(list(range(1, 101))), histogram([5] * 10)
    assert quantile_interval_ms([full] * 2, 0.95) is None
    assert quantile_interval_ms([full] * 9 + [thin], 0.95) is None
    low, high = quantile_interval_ms([full] * 10, 0.95) or (0, 0)
    assert low == high == pytest.approx(0.095)
    assert quantile_interval_ms([], 0.95) is None


@given(st.lists(st.integers(1, 2_000), min_size=1, max_size=200))
def test_times_are_those_of_the_sorted_list(values_us: list[int]) -> None:
    times = times_of(histogram(values_us))
    assert times is not None
    ordered = sorted(values_us)
    for name, share in (("p50_ms", 0.5), ("p95_ms", 0.95), ("p99_ms", 0.99)):
        rank = max(math.ceil(round(share * len(ordered), 9)), 1)
        assert getattr(times, name) == ordered[rank - 1] / 1000
    assert times.mean_ms == pytest.approx(statistics.mean(values_us) / 1000)
    assert (times.count, times.max_ms) == (len(ordered), ordered[-1] / 1000)


def test_nothing_measured_is_none_and_not_zero() -> None:
    assert times_of(histogram([])) is None


@given(st.lists(st.floats(0.01, 1000), min_size=1, max_size=60))
def test_mser_is_the_cut_with_the_least_standard_error(blocks: list[float]) -> None:
    cuts = range(max(len(blocks) - 5, 1))
    errors = [np.var(blocks[cut:]) / len(blocks[cut:]) for cut in cuts]
    assert errors[mser(blocks)] == pytest.approx(min(errors), rel=1e-9, abs=1e-12)


def test_mser_cuts_a_transient() -> None:
    stream = np.random.default_rng(SEED)
    blocks = 100 + stream.normal(0, 2, 60) + 200 * np.exp(-np.arange(60) / 4)
    assert 6 <= mser(blocks.tolist()) <= 24


def seconds(blocks: np.ndarray) -> list[float]:
    return np.repeat(blocks, BLOCK).tolist()


def test_a_steady_server_is_rarely_called_drifting_and_a_drifting_one_nearly_always() -> None:
    stream = np.random.default_rng(SEED)
    repetitions, length = 300, 24
    noise = stream.normal(1.0, 0.05, (repetitions, length))
    drift = np.linspace(0.85, 1.15, length)
    false_alarms = sum(trend(series.tolist()) is not None for series in noise)
    found = [trend((series * drift).tolist()) for series in noise]
    rising = [moved for moved in found if moved is not None and moved > 0]
    # At p < 0.01 three in 300 are significant by chance; eight would be three sigma more.
    assert false_alarms <= 8
    assert len(rising) >= 0.95 * repetitions
    assert statistics.mean(rising) == pytest.approx(0.30, abs=0.03)
    falling = trend((noise[0] * drift[::-1]).tolist())
    assert falling is not None
    assert falling < -0.2


def test_a_trend_too_small_to_matter_is_none() -> None:
    assert trend([100 + 0.1 * block for block in range(24)]) is None  # sure, but 2 % in all


@pytest.mark.parametrize("level", [0.0, 5.0])
def test_a_constant_series_is_steady(level: float) -> None:
    series = [level] * 60
    result = steadiness(series, series)
    assert (result.steady, result.settled_after_s, result.reasons) == (True, 0.0, [])


def test_the_reasons_name_the_series_and_its_direction() -> None:
    stream = np.random.default_rng(SEED)
    flat = seconds(stream.normal(100, 1, 24))
    rising = seconds(stream.normal(1, 0.01, 24) * np.linspace(100, 150, 24))
    result = steadiness(rising, flat)
    assert not result.steady
    assert [reason.split(" by")[0] for reason in result.reasons] == ["response time rose"]
    result = steadiness(flat, rising[::-1])
    assert [reason.split(" by")[0] for reason in result.reasons] == ["throughput fell"]


def test_a_level_that_settles_in_its_second_half_is_not_steady() -> None:
    stream = np.random.default_rng(SEED)
    # It rises for long and then falls back: no trend over all of it, but two states of the server.
    shape = np.concatenate([np.linspace(150, 260, 14), np.full(10, 130.0)])
    response = seconds(shape * stream.normal(1, 0.005, 24))
    result = steadiness(response, seconds(stream.normal(50, 0.1, 24)))
    assert result.settled_after_s == 14 * BLOCK
    assert result.reasons == ["response time settled only 70 s into the measured part"]
    assert not result.steady
    early = np.concatenate([np.linspace(150, 260, 8), np.full(16, 130.0)])
    result = steadiness(seconds(early * stream.normal(1, 0.005, 24)), [50.0] * 24 * BLOCK)
    assert 8 * BLOCK <= result.settled_after_s <= 9 * BLOCK
    assert result.steady  # in the first half it is warm-up, and short enough to stay in


def test_too_short_a_level_is_not_judged() -> None:
    result = steadiness([1.0, 100.0] * 10, [1.0] * 20)
    assert result.steady


rates = st.floats(0.01, 1e6)


@given(st.lists(st.tuples(rates, st.floats(0.1, 10)), min_size=1, max_size=20))
def test_the_score_is_the_weighted_harmonic_mean(pairs: list[tuple[float, float]]) -> None:
    values, weights = [rate for rate, _ in pairs], [weight for _, weight in pairs]
    score = harmonic_mean(values, weights)
    assert score == pytest.approx(statistics.harmonic_mean(values, weights=weights), rel=1e-9)


@given(st.lists(rates, min_size=1, max_size=20))
def test_harmonic_is_at_most_geometric_at_most_arithmetic(values: list[float]) -> None:
    score = harmonic_mean(values, [1.0] * len(values))
    slack = 1 + 1e-9
    assert score <= statistics.geometric_mean(values) * slack
    assert statistics.geometric_mean(values) <= statistics.mean(values) * slack
    assert min(values) <= score * slack
    assert score <= max(values) * slack


def test_a_level_without_throughput_makes_the_score_zero() -> None:
    assert harmonic_mean([10.0, 0.0, 10.0], [1.0, 1.0, 1.0]) == 0.0
    assert harmonic_mean([], []) == 0.0
