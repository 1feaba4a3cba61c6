"""CPU counters, against figures worked out by hand and with anything a kernel may report."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.counters.proc import cpu

LINUX_2_6_10 = "cpu  100 10 50 800\ncpu0 100 10 50 800\nctxt 900\n"
LINUX_2_6_32 = (
    "cpu  4705 150 1120 16250 520 30 20 0 10\ncpu0 4705 150 1120 16250 520 30 20 0 10\n"
    "intr 114930548 113199788 3 0 5 263\nctxt 1990473\nbtime 1062191376\nprocesses 2915\n"
    "procs_running 1\nprocs_blocked 0\n"
)
LINUX_6_18 = (
    "cpu  2077 0 1467 124008 237 0 30 10 0 0\ncpu0 531 0 559 62814 4 0 7 1 0 0\n"
    "cpu1 1546 0 908 61194 233 0 22 9 0 0\nintr 128598 0 0\nctxt 252761\nbtime 1795214865\n"
    "processes 3885\nprocs_running 2\nprocs_blocked 0\nsoftirq 89867 0 10680\n"
)


def test_reads_the_formats_of_three_kernels() -> None:
    assert cpu.parse(LINUX_2_6_10).all_cpus == (100, 10, 50, 800)
    old = cpu.parse(LINUX_2_6_32)
    assert old.all_cpus == (4705, 150, 1120, 16250, 520, 30, 20, 0)
    assert (old.context_switches, old.runnable, old.blocked) == (1990473, 1, 0)
    new = cpu.parse(LINUX_6_18)
    assert new.each_cpu == {
        "cpu0": (531, 0, 559, 62814, 4, 0, 7, 1),
        "cpu1": (1546, 0, 908, 61194, 233, 0, 22, 9),
    }
    assert cpu.gauges(new)["system.cpu.logical.count"] == 2


def test_shares_are_of_the_ticks_that_passed() -> None:
    before = cpu.CpuStat((100, 0, 50, 800, 10, 0, 0, 0), {"cpu0": (0, 0, 0, 0)}, 100)
    after = cpu.CpuStat((130, 0, 60, 840, 20, 0, 5, 5), {"cpu0": (3, 0, 0, 1)}, 400)
    values = cpu.delta(before, after, 2.0)
    # 30 + 10 + 40 + 10 + 5 + 5 = 100 ticks, of which 40 idle and 10 awaiting I/O.
    assert values["system.cpu.utilization"] == pytest.approx(0.50)
    assert values["system.cpu.utilization{cpu.mode=user}"] == pytest.approx(0.30)
    assert values["system.cpu.utilization{cpu.mode=iowait}"] == pytest.approx(0.10)
    assert values["system.cpu.utilization{cpu.mode=steal}"] == pytest.approx(0.05)
    assert values["system.cpu.utilization.busiest"] == pytest.approx(0.75)
    assert values["system.cpu.context_switches"] == pytest.approx(150)


def test_modes_an_old_kernel_lacks_are_absent() -> None:
    values = cpu.delta(cpu.CpuStat((0, 0, 0, 0)), cpu.parse(LINUX_2_6_10), 1.0)
    assert values["system.cpu.utilization"] == pytest.approx(160 / 960)
    assert "system.cpu.utilization{cpu.mode=iowait}" not in values


def test_iowait_that_runs_backwards_counts_as_zero() -> None:
    before, after = cpu.CpuStat((0, 0, 0, 50, 9)), cpu.CpuStat((10, 0, 0, 60, 2))
    values = cpu.delta(before, after, 1.0)
    assert values["system.cpu.utilization{cpu.mode=iowait}"] == 0
    assert values["system.cpu.utilization"] == pytest.approx(0.5)


def test_without_ticks_or_after_a_reset_there_are_no_shares() -> None:
    same = cpu.CpuStat((5, 5, 5, 5), {"cpu0": (5, 5, 5, 5)}, 9)
    assert cpu.delta(same, same, 1.0) == {"system.cpu.context_switches": 0}
    assert cpu.delta(same, cpu.CpuStat((0, 0, 0, 1), {"cpu0": (0, 0, 0, 1)}, 3), 1.0) == {}


def test_a_cpu_that_came_online_in_between_is_not_compared() -> None:
    before = cpu.CpuStat((0, 0, 0, 0), {"cpu0": (0, 0, 0, 0)})
    after = cpu.CpuStat((9, 0, 0, 1), {"cpu0": (1, 0, 0, 9), "cpu1": (9, 0, 0, 0)})
    assert cpu.delta(before, after, 1.0)["system.cpu.utilization.busiest"] == pytest.approx(0.1)


def test_load_average() -> None:
    assert cpu.parse_loadavg("0.36 0.10 0.05 1/99 4870\n") == pytest.approx(0.36)
    assert cpu.parse_loadavg("") is None


TICKS = st.lists(st.integers(0, 2**63), max_size=8).map(tuple)
STATS = st.builds(
    cpu.CpuStat,
    TICKS,
    st.dictionaries(st.sampled_from(["cpu0", "cpu1"]), TICKS),
    st.none() | st.integers(0, 2**63),
)


@given(STATS, STATS, st.floats(1e-3, 1e6))
def test_shares_stay_between_0_and_1_whatever_the_counters_do(
    before: cpu.CpuStat, after: cpu.CpuStat, elapsed_s: float
) -> None:
    values = cpu.delta(before, after, elapsed_s)
    assert all(math.isfinite(value) and value >= 0 for value in values.values())
    modes = [value for name, value in values.items() if "cpu.mode" in name]
    assert not modes or sum(modes) == pytest.approx(1)
    assert all(value <= 1 for name, value in values.items() if "utilization" in name)
