"""A CPU quota whose control group is not seen, and other limits that only the top level shows."""

import pytest
from diagnosis_levels import QUIET, level, seconds

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.bundle.diagnosis import Diagnosis

HELD_BACK = {
    **QUIET,
    "process.cpu.utilization": 0.18,
    "process.cpu.run_delay": 0.99,
    "process.threads.runnable": 28.0,
    "system.cpu.utilization.busiest": 0.2,
}


def held_back(**more: float) -> Diagnosis:
    """Sixty processes whose group is not seen: with 16 users they do as much, but at once."""
    counters = {**HELD_BACK, **{name.replace("__", "."): value for name, value in more.items()}}
    counters = {name: value for name, value in counters.items() if "cgroup" not in name}
    levels = [
        level(1, 2, 28.0, 0.0012, 0.08, {**counters, "process.cpu.run_delay": 0.04}),
        level(2, 16, 203.0, 0.0011, 0.08, {**counters, "process.cpu.run_delay": 0.16}),
        level(3, 64, 211.0, 0.2, 0.08, counters),
    ]
    found = of_levels(levels, seconds(levels))
    assert found is not None
    return found


def test_threads_that_wait_for_idle_cpus_have_a_quota() -> None:
    found = held_back()
    assert (found.limit, found.detail, found.confidence_word) == ("cpu", "quota", "high")
    assert "waited for a CPU 99.0% of the time" in found.sentence
    assert "although the server used only 0.180 CPUs" in found.sentence
    assert "cpu.max" in found.advice[0].sentence
    # The level of 16 users has as much throughput, but nobody waits there.
    assert [one.saturated for one in found.levels] == [False, False, True]


@pytest.mark.parametrize(
    "more",
    [
        {"system__cpu__utilization__busiest": 0.97},  # they are bound to that one
        {"process__threads__runnable": 0.3},  # hardly one wants a CPU
        {"process__cpu__run_delay": 0.4},
        {"process__threads__blocked": 60.0},  # they wait for the disk, and wake together
    ],
)
def test_without_threads_that_want_a_cpu_there_is_no_quota(more: dict[str, float]) -> None:
    assert held_back(**more).detail != "quota"


def test_the_limit_is_that_of_the_level_that_breaks() -> None:
    """With 16 users the CPU is full, and all pages are in memory; 64 users have more of them."""
    full = {**QUIET, "system.cpu.utilization": 0.96, "process.cpu.utilization": 3.8}
    short = {
        **QUIET,
        "cgroup.pressure{resource=io,kind=some}": 0.99,
        "cgroup.memory.refaults": 50e6,
        "process.disk.io{disk.io.direction=read}": 50e6,
        "system.disk.io{disk.io.direction=read}": 50e6,
    }
    levels = [
        level(1, 2, 85.0, 0.0047, 0.02, QUIET),
        level(2, 16, 420.0, 0.018, 0.02, full),
        level(3, 64, 348.0, 0.162, 0.02, short),
    ]
    found = of_levels(levels, seconds(levels))
    assert found is not None
    assert (found.limit, found.detail) == ("memory", "as disk")
    assert [one.saturated for one in found.levels] == [False, False, True]
