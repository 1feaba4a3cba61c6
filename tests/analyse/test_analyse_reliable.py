"""Levels say where the interval of their p95 is too narrow."""

import numpy as np
import pytest
from history import Count, Slice, histogram, window
from numpy.typing import NDArray
from scipy import signal

from headcount.analyse.level import _scenario
from headcount.analyse.window import Window

SEED = 20_260_113
SECONDS, EACH = 120, 30


def played(speeds: NDArray[np.float64], second_s: float = 1.0) -> Window:
    """Thirty answers a second, of 50 ms on average, times the speed of that second."""
    stream = np.random.default_rng(SEED)
    slices = []
    for second, speed in enumerate(speeds):
        times_us = np.ceil(stream.exponential(50_000 * speed, EACH)).astype(int).tolist()
        count = Count(completed=EACH, response_s=sum(times_us) / 1e6, response=histogram(times_us))
        slices.append(Slice(second * second_s, (second + 1) * second_s, [count]))
    return window(slices)


def test_correlated_seconds_make_the_interval_unreliable() -> None:
    calm = _scenario("all", played(np.ones(SECONDS)), None, 1_000_000)
    assert calm.p95_interval_ms is not None
    assert not calm.p95_interval_unreliable
    noise = np.random.default_rng(SEED).normal(0, 0.1, SECONDS)
    wandering = np.exp(signal.lfilter([1.0], [1.0, -0.95], noise))
    moody = _scenario("all", played(wandering), None, 1_000_000)
    assert moody.p95_interval_ms is not None
    assert moody.p95_interval_unreliable


def test_without_an_interval_there_is_nothing_to_doubt() -> None:
    short = _scenario("all", played(np.linspace(1, 5, 15)), None, 1_000_000)
    assert short.p95_interval_ms is None
    assert not short.p95_interval_unreliable


def test_a_level_of_20_s_has_an_interval_although_seconds_are_not_exact() -> None:
    for second_s in (0.999995, 1.000005):
        level = _scenario("all", played(np.ones(20), second_s), None, 1_000_000)
        assert level.p95_interval_ms is not None, second_s
    assert _scenario("all", played(np.ones(19)), None, 1_000_000).p95_interval_ms is None


def test_seconds_in_which_nothing_ended_have_no_mean() -> None:
    counts = [
        Count(completed=3, failed=1, response_s=0.8),
        Count(),
        Count(completed=1, response_s=0.05),
    ]
    measured = window([Slice(float(i), i + 1.0, [count]) for i, count in enumerate(counts)])
    assert measured.pool().seconds_ms() == pytest.approx([200.0, 50.0])
    assert measured.pool(0).seconds_ms() == measured.pool().seconds_ms()
