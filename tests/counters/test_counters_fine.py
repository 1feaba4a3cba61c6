"""Looking several times a second: the figures are right, and the cost is bounded."""

import itertools
import time
from collections.abc import Iterable
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.counters.proc.fine import DUTY, FineSampler, Look, Moments, moments

MINUTE = 600
"""Looks in a minute."""


class Wave:
    """A gauge of a simulated machine: a queue that exists for a share of each period."""

    def __init__(self, period_s: float, share: float, cost_s: float = 0.0) -> None:
        self.period_s, self.share, self.cost_s = period_s, share, cost_s
        self.now_s = self.spent_s = 0.0
        self.looks = 0
        self.closed = False

    def look(self) -> Iterable[Look]:
        self.looks += 1
        self.spent_s += self.cost_s
        waiting = 5.0 if self.now_s % self.period_s < self.share * self.period_s else 0.0
        yield "queue", "mean", waiting
        yield "queue.max", "max", waiting
        yield "queue.occupied", "share", waiting
        yield "queue.limit", "last", 8.0

    def close(self) -> None:
        self.closed = True

    def figures_after(self, looks: int) -> dict[str, float]:
        seen = Moments([self], cost=lambda: self.spent_s)
        for at_s in itertools.islice(moments(0.0, 0.1), looks):
            self.now_s = at_s
            seen.look(at_s)
        return seen.take()


@settings(deadline=None)
@given(
    period_s=st.sampled_from([0.1, 0.05, 0.2, 0.1 / 3, 0.3, 1.0, 0.0636, 0.2616])
    | st.floats(0.02, 2.0),
    share=st.floats(0.0, 1.0),
)
def test_a_minute_of_looks_sees_the_share_whatever_the_period(
    period_s: float, share: float
) -> None:
    # Looks exactly 100 ms apart would see a queue with a period of 100 ms always or never.
    seen = Wave(period_s, share).figures_after(MINUTE)
    assert seen["queue.occupied"] == pytest.approx(share, abs=0.1)
    assert seen["queue"] == pytest.approx(5 * share, abs=0.5)
    assert seen["queue.limit"] == 8


def test_the_period_of_a_cpu_limit_is_met_at_every_phase() -> None:
    for share in (0.05, 0.3, 0.95):
        seen = Wave(0.1, share).figures_after(MINUTE)
        assert seen["queue.occupied"] == pytest.approx(share, abs=0.05)
        assert seen["queue.max"] == 5


@settings(deadline=None)
@given(cost_s=st.floats(1e-5, 0.5))
def test_no_gauge_costs_more_than_its_share_of_a_core(cost_s: float) -> None:
    wave = Wave(1.0, 0.5, cost_s)
    wave.figures_after(MINUTE)
    assert wave.spent_s <= DUTY * 60 + cost_s
    # And none is read less often than its share allows.
    assert wave.looks >= min(MINUTE, 60 / (cost_s / DUTY + 0.2))


def test_an_expensive_gauge_does_not_hold_up_a_cheap_one() -> None:
    expensive, cheap = Wave(1.0, 1.0, cost_s=DUTY), Wave(1.0, 1.0)
    seen = Moments([expensive, cheap], cost=lambda: expensive.spent_s)
    for at_s in itertools.islice(moments(0.0, 0.1), 100):
        seen.look(at_s)
    assert cheap.looks == 100
    assert expensive.looks == pytest.approx(10 / 2, abs=1)


def test_each_take_covers_the_time_since_the_last() -> None:
    wave = Wave(100.0, 0.5)
    seen = Moments([wave], cost=lambda: 0.0)
    assert seen.take() == {}
    for wave.now_s in (10.0, 20.0, 60.0, 70.0):
        seen.look(wave.now_s)
    assert seen.take()["queue.occupied"] == 0.5
    wave.now_s = 80.0
    seen.look(wave.now_s)
    assert seen.take()["queue.occupied"] == 0
    assert seen.take() == {}


class Broken:
    """A gauge that cannot be read."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def look(self) -> Iterable[Look]:
        yield "half", "mean", 1.0
        raise self.error

    def close(self) -> None:
        pass


def test_a_gauge_that_cannot_be_read_does_not_affect_the_others() -> None:
    wave = Wave(1.0, 1.0)
    seen = Moments([Broken(OSError("gone")), wave], cost=lambda: 0.0)
    seen.look(0.0)
    assert "half" not in (values := seen.take())
    assert values["queue"] == 5


def test_the_thread_looks_until_it_is_closed_and_reports_its_cost() -> None:
    wave = Wave(1.0, 1.0)
    before_s = time.process_time()
    with closing(FineSampler(lambda: [wave], interval_s=0.005)) as sampler:
        assert sampler.take() == {}
        while wave.looks < 20:
            time.sleep(0.005)
        assert sampler.take()["queue.occupied"] == 1
        reported_s = sampler.cost_s()
        assert sampler.cost_s() <= 0.01
    assert 0 < reported_s <= time.process_time() - before_s
    looks = wave.looks
    time.sleep(0.03)
    assert wave.looks == looks
    assert wave.closed
    assert sampler.take() == {}


def test_a_bug_in_a_gauge_is_raised_by_take() -> None:
    def until_it_shows(sampler: FineSampler) -> None:
        for _ in range(1000):
            sampler.take()
            time.sleep(0.005)

    sampler = FineSampler(lambda: [Broken(ZeroDivisionError())], interval_s=0.001)
    with closing(sampler), pytest.raises(ZeroDivisionError):
        until_it_shows(sampler)
