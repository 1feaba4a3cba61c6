"""Workers of agents on machines that are not equally fast."""

import time
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.generator.speed import measured_speed, workers_by_speed


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
    assert workers_by_speed(cpus, speeds) == workers


@given(st.lists(st.tuples(st.integers(1, 64), st.floats(0.25, 1.0)), min_size=1, max_size=24))
def test_workers_are_in_proportion_to_a_machines_speed(
    machines: list[tuple[int, float]],
) -> None:
    cpus = [number for number, _ in machines]
    speeds = [100.0 * number * share for number, share in machines]
    workers = workers_by_speed(cpus, speeds)
    each = [number / speed for number, speed in zip(workers, speeds, strict=True)]
    # Parts of a worker are rounded, and differences of 15% count as none.
    assert max(each) <= 2 * min(each)


def test_a_speed_is_blocks_by_time_of_all_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[float] = []

    def compress(_: bytes) -> bytes:
        time.sleep(0.01)
        done.append(time.monotonic())
        return b""

    monkeypatch.setattr(zlib, "compress", compress)
    began_s = time.monotonic()
    speed = measured_speed(3, 0.2)
    assert len(done) / speed == pytest.approx(max(done) - began_s, rel=0.5)
    assert 0 < speed <= 3 / 0.01
