"""The estimate of another clock, on simulated networks where the truth is known."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.counters.clock import DRIFT, ClockEstimate, ClockOffset

STARTED = 1_795_000_000.0


class Network:
    """Another machine, whose clock is ahead; messages take a random time each way."""

    def __init__(self, seed: int, offset_s: float, drift: float = 0.0) -> None:
        self._draw = random.Random(seed)
        self._offset_s = offset_s
        self._drift = drift
        self.now_s = 1000.0

    def true_s(self) -> float:
        """How far the clock is ahead at this moment."""
        return self._offset_s + self._drift * (self.now_s - 1000.0)

    def ask(self, estimate: ClockEstimate, resolution_s: float = 0.0, busy_s: float = 0.05) -> None:
        """Ask once, a second after the last time; the two ways take different times."""
        self.now_s += 1.0 + self._draw.random() / 10
        asked_s = self.now_s
        self.now_s += 0.0002 + self._draw.expovariate(1 / busy_s)
        reported_s = self.now_s - 1000.0 + STARTED + self.true_s()
        if resolution_s:
            reported_s = reported_s // resolution_s * resolution_s
        self.now_s += 0.0002 + self._draw.expovariate(1 / busy_s)
        estimate.observe(asked_s, self.now_s, reported_s, resolution_s)


def estimate_of(network: Network) -> ClockEstimate:
    return ClockEstimate(wall=lambda: STARTED, steady=lambda: network.now_s)


def known(estimate: ClockEstimate) -> ClockOffset:
    assert estimate.offset is not None
    return estimate.offset


def test_nothing_is_known_before_the_first_answer() -> None:
    estimate = ClockEstimate()
    assert estimate.offset is None
    assert estimate.local_s(5.0, 10.0, 12.0) == 11.0


def test_one_answer_is_known_to_half_the_round_trip() -> None:
    estimate = ClockEstimate(wall=lambda: STARTED, steady=lambda: 1000.0)
    estimate.observe(1000.0, 1000.4, STARTED + 7.2)
    assert known(estimate).seconds == pytest.approx(7.0)
    assert known(estimate).error_s == pytest.approx(0.2)


@given(
    st.integers(0, 10_000),
    st.floats(-86_400, 86_400),
    st.floats(-0.9 * DRIFT, 0.9 * DRIFT),
    st.sampled_from([0.0, 1.0]),
)
def test_the_truth_is_within_the_bound(
    seed: int, offset_s: float, drift: float, resolution_s: float
) -> None:
    network = Network(seed, offset_s, drift)
    estimate = estimate_of(network)
    for _ in range(40):
        network.ask(estimate, resolution_s)
        found = known(estimate)
        # A microsecond is what a float of a date leaves.
        assert abs(found.seconds - network.true_s()) <= found.error_s + 2e-6
    assert estimate.steps == 0


def test_the_error_is_at_most_half_the_fastest_round_trip() -> None:
    network = Network(7, -3.25)
    estimate = estimate_of(network)
    fastest_s = float("inf")
    for _ in range(60):
        before_s = network.now_s
        network.ask(estimate)
        fastest_s = min(fastest_s, network.now_s - before_s - 1.0)
    found = known(estimate)
    assert found.error_s <= fastest_s / 2 + 60 * 1.1 * DRIFT
    assert found.seconds == pytest.approx(-3.25, abs=found.error_s)


def test_a_clock_of_whole_seconds_is_known_to_a_tenth() -> None:
    network = Network(3, 12.34)
    estimate = estimate_of(network)
    for _ in range(60):
        network.ask(estimate, resolution_s=1.0, busy_s=0.002)
    assert known(estimate).error_s < 0.1
    assert known(estimate).seconds == pytest.approx(12.34, abs=0.1)


def test_a_clock_that_was_set_is_followed_and_counted() -> None:
    network = Network(5, 0.5)
    estimate = estimate_of(network)
    for _ in range(10):
        network.ask(estimate)
    network._offset_s = -600.0
    for _ in range(10):
        network.ask(estimate)
    assert estimate.steps == 1
    assert known(estimate).seconds == pytest.approx(-600.0, abs=known(estimate).error_s)


def test_a_remote_time_is_kept_between_question_and_answer() -> None:
    estimate = ClockEstimate(wall=lambda: STARTED, steady=lambda: 1000.0)
    estimate.observe(1000.0, 1000.002, STARTED + 50.001)
    assert estimate.local_s(STARTED + 55.0, 1004.0, 1006.0) == pytest.approx(1005.0, abs=0.001)
    assert estimate.local_s(STARTED + 99.0, 1004.0, 1006.0) == 1006.0
    assert estimate.local_s(STARTED, 1004.0, 1006.0) == 1004.0
