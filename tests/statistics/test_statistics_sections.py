"""Intervals of percentiles against their definition, and the memory of a series against theory."""

import base64
import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import signal, stats

from headcount._engine import Histogram
from headcount.analyse.statistics.memory import autocorrelation, is_too_short, memory
from headcount.analyse.statistics.sections import FEWEST, around, exceeded, is_clustered, sectioned

SEED = 20_260_108
whole_us = st.integers(1, 2_000)  # that a histogram of three digits keeps as they are
a_part = st.lists(whole_us, min_size=20, max_size=40)


def histogram(values: Sequence[int]) -> Histogram:
    dense = HdrHistogram(1, 3_600_000_000, 3)
    for value in values:
        assert dense.record_value(value)
    return Histogram.decode(base64.b64decode(dense.encode()))


def nearest_rank(values: Sequence[int], share: float) -> int:
    return sorted(values)[max(math.ceil(round(share * len(values), 9)), 1) - 1]


@settings(deadline=None, max_examples=25)  # scipy is loaded when it is first used
@given(st.lists(a_part, min_size=3, max_size=8), st.sampled_from([0.5, 0.9, 0.95]))
def test_sectioning_is_its_definition(parts: list[list[int]], share: float) -> None:
    together = [value for part in parts for value in part]
    found = sectioned(histogram(together), [histogram(part) for part in parts], share)
    assert found is not None
    value = nearest_rank(together, share)
    logs = [math.log(nearest_rank(part, share) / value) for part in parts]
    error = math.sqrt(sum(log**2 for log in logs) / (len(logs) - 1) / len(logs))
    half = float(stats.t.ppf(0.975, len(logs) - 1)) * error
    assert found.value_us == value
    assert math.log(found.high_us / value) == pytest.approx(half, abs=1e-9)
    assert math.log(found.low_us / value) == pytest.approx(-half, abs=1e-9)


@settings(deadline=None, max_examples=25)  # scipy is loaded when it is first used
@given(st.lists(a_part, min_size=3, max_size=8), st.sampled_from([0.5, 0.9, 0.95]))
def test_batch_exceed_ranks_are_their_definition(parts: list[list[int]], share: float) -> None:
    together = [value for part in parts for value in part]
    found = exceeded(histogram(together), [histogram(part) for part in parts], share)
    assert found is not None
    value = nearest_rank(together, share)
    above = np.array([sum(v > value for v in part) for part in parts])
    sizes = np.array([len(part) for part in parts])
    away = above - above.sum() / sizes.sum() * sizes
    count = len(parts)
    error = math.sqrt(float(away @ away) * count / (count - 1)) / sizes.sum()
    half = float(stats.t.ppf(0.975, count - 1)) * error
    assert found.low_us == nearest_rank(together, max(share - half, 0))
    if share + half <= 1:
        assert found.high_us == nearest_rank(together, share + half)
    else:
        assert math.isinf(found.high_us)
    assert found.low_us <= found.value_us == value <= found.high_us


@settings(deadline=None, max_examples=50)  # scipy is loaded when it is first used
@given(st.lists(a_part, min_size=3, max_size=8), st.sampled_from([0.5, 0.9]))
def test_clusters_are_their_definition(parts: list[list[int]], share: float) -> None:
    together = [value for part in parts for value in part]
    value = nearest_rank(together, share)
    above = np.array([sum(v > value for v in part) for part in parts])
    sizes = np.array([len(part) for part in parts])
    away = above - above.sum() / sizes.sum() * sizes
    variance = float(away @ away) * len(parts) / (len(parts) - 1)
    by_chance = above.sum() * (1 - above.sum() / sizes.sum())
    dispersed = variance * (len(parts) - 1) > by_chance * stats.chi2.ppf(0.95, len(parts) - 1)
    few = above.sum() ** 2 < FEWEST * variance
    found = is_clustered(value, [histogram(part) for part in parts])
    assert found == (dispersed and few)


def slow_together(stream: np.random.Generator, clusters: int, of: int) -> list[list[int]]:
    """4,000 answers in ten sections; `clusters` runs of `of` answers are ten times as slow."""
    times = stream.exponential(100, 4_000)
    slow = np.zeros(4_000, dtype=bool)
    for first in stream.integers(0, 4_000 - of, clusters):
        slow[first : first + of] = True
    times[slow] *= 10
    return [[int(value) + 1 for value in part] for part in np.array_split(times, 10)]


def test_few_clusters_of_slow_answers_are_distinguished_from_many_and_from_none() -> None:
    stream = np.random.default_rng(SEED)
    shares = []
    for clusters, of in ((0, 1), (5, 40), (100, 2)):
        clustered = []
        for _ in range(100):
            parts = slow_together(stream, clusters, of)
            value = nearest_rank([value for part in parts for value in part], 0.95)
            clustered.append(is_clustered(value, [histogram(part) for part in parts]))
        shares.append(np.mean(clustered))
    assert shares[0] == 0
    assert shares[1] >= 0.9
    assert shares[2] <= 0.05


def test_both_intervals_need_three_sections_of_twenty() -> None:
    full, thin = histogram(list(range(1, 101))), histogram([5] * 19)
    for interval in (sectioned, exceeded):
        assert interval(full, [full] * 2, 0.95) is None
        assert interval(full, [full, full, thin], 0.95) is None
        assert interval(full, [], 0.95) is None
        found = interval(full, [full] * 3, 0.95)
        assert found is not None
        assert (found.low_us, found.high_us) == (pytest.approx(95), pytest.approx(95))


def test_around_takes_nothing_below_one() -> None:
    assert around(0, [0, 0, 0]) == (1, 1)


@settings(deadline=None)  # scipy is loaded when it is first used
@given(st.lists(st.floats(-100, 100), min_size=3, max_size=60), st.integers(1, 5))
def test_autocorrelation_matches_numpy(values: list[float], lag: int) -> None:
    away = np.array(values) - np.mean(values)
    if lag >= len(values) or float(away @ away) < 1e-6:
        return
    expected = float(away[lag:] @ away[:-lag]) / float(away @ away)
    assert autocorrelation(values, lag) == pytest.approx(expected, abs=1e-9)


def test_a_constant_series_has_neither_correlation_nor_memory() -> None:
    assert autocorrelation([3.0] * 30) == 0
    assert memory([3.0] * 30) == 1
    assert not is_too_short([3.0] * 30, 3)


def autoregressive(
    stream: np.random.Generator, shape: tuple[int, int], keep: float
) -> NDArray[np.float64]:
    """AR(1) series in rows, begun in their steady state."""
    noise = stream.normal(0, 1, shape)
    noise[:, 0] /= math.sqrt(1 - keep**2)
    return signal.lfilter([1.0], [1.0, -keep], noise, axis=1)


@pytest.mark.parametrize("keep", [0.3, 0.6, 0.8])
def test_the_memory_of_a_long_series_is_the_known_one(keep: float) -> None:
    series = autoregressive(np.random.default_rng(SEED), (20, 2_000), keep)
    found = np.mean([memory(row.tolist()) for row in series])
    assert found == pytest.approx((1 + keep) / (1 - keep), rel=0.15)


def test_the_longer_the_memory_the_surer_is_the_flag() -> None:
    stream = np.random.default_rng(SEED)
    shares = []
    for keep in (0.0, 0.5, 0.8, 0.95):
        series = autoregressive(stream, (300, 120), keep)
        shares.append(np.mean([is_too_short(row.tolist(), 12) for row in series]))
    # Independent values at most at the 5 % of the test; memories of 39 values nearly always.
    assert shares[0] <= 0.1
    assert shares[-1] >= 0.97
    assert all(a <= b for a, b in pairwise(shares))


def test_few_values_tell_nothing_and_long_sections_are_long_enough() -> None:
    rising = [float(value) for value in range(19)]
    assert not is_too_short(rising, 1.9)
    assert is_too_short([*rising, 19.0], 2.0)
    series = autoregressive(np.random.default_rng(SEED), (1, 4_000), 0.5)[0].tolist()
    assert not is_too_short(series, 400)
    assert is_too_short(series, 10)
