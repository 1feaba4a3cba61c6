"""Workers of agents on machines that are not equally fast."""

import random
import time
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    assert as_many >= 0.99 * 24 * 100


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
    began_s = time.monotonic()

    def compress(_: bytes) -> bytes:
        time.sleep(0.01)
        done.append(time.monotonic())
        return b""

    monkeypatch.setattr(zlib, "compress", compress)
    speeds = measured_speeds(3, 4, 0.05)
    assert len(speeds) == 4
    counted = sum(speeds) * 0.05
    late = sum(at_s - began_s >= 4 * 0.05 for at_s in done)
    # Blocks that end as the measurement ends can count for either.
    assert len(done) - late - 3 <= counted <= len(done)
