"""Workers of agents on machines that are not equally fast."""

import os
import random
import time
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.generator.real_time import real_time
from headcount.generator.speed import SLICES, Speed, measured_speeds, workers_by_speed


def steady(speed: float) -> Speed:
    return Speed(0.98 * speed, speed, 1.02 * speed)


@pytest.mark.parametrize(
    ("cpus", "speeds", "workers"),
    [
        ([4, 4], [400.0, 400.0], [4, 4]),
        ([4, 4], [400.0, 350.0], [4, 4]),  # within what short measurements differ by
        ([8, 4], [800.0, 400.0], [8, 4]),
        ([4, 4], [400.0, 200.0], [4, 2]),
        ([1, 1], [100.0, 50.0], [2, 1]),
        ([1, 1], [100.0, 33.0], [3, 1]),
        ([2, 2, 2], [200.0, 100.0, 200.0], [2, 1, 2]),
        ([2, 2], [200.0, 0.0], [2, 1]),
        ([2, 2], [0.0, 0.0], [2, 2]),
    ],
)
def test_slower_machines_get_fewer(
    cpus: list[int], speeds: list[float], workers: list[int]
) -> None:
    assert workers_by_speed(cpus, [steady(one) for one in speeds]) == workers


def test_a_machine_that_is_not_surely_slower_gets_as_many() -> None:
    fastest = steady(100)
    assert workers_by_speed([4, 4], [fastest, Speed(20, 50, 97)]) == [4, 2]
    assert workers_by_speed([4, 4], [fastest, Speed(20, 50, 99)]) == [4, 4]
    assert workers_by_speed([4, 4], [Speed(40, 100, 120), steady(50)]) == [4, 4]


def test_many_machines_on_the_same_cpus_get_as_many() -> None:
    draw, as_many = random.Random(1), 0
    for _ in range(100):
        slices = [[draw.expovariate(0.01) for _ in range(SLICES)] for _ in range(24)]
        workers = workers_by_speed([2] * 24, [Speed.of(one) for one in slices])
        as_many += workers.count(max(workers))
    assert as_many >= 0.95 * 24 * 100


@given(st.lists(st.tuples(st.integers(1, 64), st.floats(0.25, 1.0)), min_size=1, max_size=24))
def test_workers_are_in_proportion_to_a_machines_speed(
    machines: list[tuple[int, float]],
) -> None:
    cpus = [number for number, _ in machines]
    speeds = [100.0 * number * share for number, share in machines]
    workers = workers_by_speed(cpus, [steady(one) for one in speeds])
    each = [number / speed for number, speed in zip(workers, speeds, strict=True)]
    # Parts of a worker are rounded, and differences of 15% count as none.
    assert max(each) <= 2 * min(each)


def test_a_speed_is_blocks_by_time_of_all_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[float] = []
    policies: list[int] = []
    began_s = time.monotonic()

    def compress(_: bytes) -> bytes:
        time.sleep(0.01)
        done.append(time.monotonic())
        policies.append(os.sched_getscheduler(0))
        return b""

    monkeypatch.setattr(zlib, "compress", compress)
    with real_time():  # as agents are
        speeds = measured_speeds(3, 4, 0.05)
    assert set(policies) == {os.SCHED_OTHER}
    assert len(speeds) == 4
    counted = sum(speeds) * 0.05
    early = sum(at_s - began_s < 0.05 for at_s in done)
    late = sum(at_s - began_s >= 5 * 0.05 for at_s in done)
    # Each thread has a block as the measurement begins, and one as it ends.
    assert counted == pytest.approx(len(done) - early - late, abs=6)


@given(st.floats(0, 0.1))
@settings(max_examples=8, deadline=None)
def test_a_quota_counts_whenever_its_period_begins(offset_s: float) -> None:
    """Half of a CPU: each 0.1 s, a program runs for 0.05 s."""
    epoch_s = time.monotonic() - offset_s

    def compress(_: bytes) -> bytes:
        at_s = (time.monotonic() - epoch_s) % 0.1
        time.sleep(0.002 if at_s < 0.05 else 0.1 - at_s)
        return b""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zlib, "compress", compress)
        speed = Speed.of(measured_speeds(1))
    assert speed.high < 0.75 / 0.002
