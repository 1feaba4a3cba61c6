"""Disk counters against iostat's definitions worked out by hand."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.counters.proc import disk

LINUX_2_6_18 = (
    "   8    0 sda 446216 784926 9550688 4382310 "
    "424847 312726 5922052 19310380 0 3376340 23705160\n"
    "   8    1 sda1 35486 38030 38030 38030\n"
)
LINUX_4_18 = (
    " 259       0 nvme0n1 255999 814 12369153 47919 996852 81 36123024 425995 0 301795 580470 "
    "12 0 4096 7\n"
)
LINUX_6_18 = (
    " 254       0 vda 30728 12479 2948050 6686 5599 9960 522784 1793 0 3432 8617 "
    "3266 14 148232 128 288 9\n"
    " 105       0 cciss/c0d0 1 0 8 1 0 0 0 0 0 1 1\n"
)


def test_reads_the_formats_of_three_kernels() -> None:
    old = disk.parse(LINUX_2_6_18)
    assert list(old) == ["sda"]
    assert (old["sda"].reads, old["sda"].write_ms, old["sda"].weighted_ms) == (
        446216,
        19310380,
        23705160,
    )
    assert disk.parse(LINUX_4_18)["nvme0n1"].busy_ms == 301795
    new = disk.parse(LINUX_6_18)
    assert new["vda"] == disk.DiskStat(30728, 2948050, 6686, 5599, 522784, 1793, 3432, 8617)
    assert "cciss/c0d0" in new


START = disk.DiskStat(100, 1000, 500, 50, 400, 300, 2000, 4000)


def test_one_disk_over_two_seconds() -> None:
    end = disk.DiskStat(300, 5000, 900, 150, 1400, 2300, 3500, 7000)
    values = disk.delta({"sda": START}, {"sda": end}, 2.0, real=frozenset({"sda"}))
    expected = {
        "system.disk.io{disk.io.direction=read}": 4000 * 512 / 2,
        "system.disk.io{disk.io.direction=write}": 1000 * 512 / 2,
        "system.disk.operations{disk.io.direction=read}": 100,
        "system.disk.operations{disk.io.direction=write}": 50,
        "system.disk.operation_time{disk.io.direction=read}": 400 / 200,
        "system.disk.operation_time{disk.io.direction=write}": 2000 / 100,
        "system.disk.operation_time": (400 + 2000) / (200 + 100),
        "system.disk.queue_length": 3000 / 2000,
        "system.disk.utilization": 1500 / 2000,
    }
    for name, value in expected.items():
        assert values[name] == pytest.approx(value), name
        instance = name[:-1] + "," if name.endswith("}") else name + "{"
        assert values[f"{instance}system.device=sda}}"] == pytest.approx(value), name


def test_the_host_adds_up_its_real_disks_only() -> None:
    idle = {"sda": START, "sdb": START, "loop0": START}
    busy = replace(START, reads=200, read_sectors=3000, busy_ms=2800, weighted_ms=5000)
    then = {"sda": busy, "sdb": START, "loop0": busy}
    values = disk.delta(idle, then, 1.0, real=frozenset({"sda", "sdb"}))
    assert values["system.disk.io{disk.io.direction=read}"] == pytest.approx(2000 * 512)
    assert values["system.disk.queue_length"] == pytest.approx(1.0)
    assert values["system.disk.utilization"] == pytest.approx(0.4)
    assert values["system.disk.utilization.busiest"] == pytest.approx(0.8)
    assert values["system.disk.utilization{system.device=loop0}"] == pytest.approx(0.8)


def test_without_operations_there_is_no_wait_time() -> None:
    values = disk.delta({"sda": START}, {"sda": START}, 1.0, real=frozenset({"sda"}))
    assert values["system.disk.io{disk.io.direction=read}"] == 0
    assert not [name for name in values if "operation_time" in name]


def test_a_counter_that_wrapped_is_absent_and_the_others_are_not() -> None:
    before = replace(START, busy_ms=2**32 - 10)
    after = replace(START, busy_ms=20, reads=101)
    values = disk.delta({"sda": before}, {"sda": after}, 1.0, real=frozenset({"sda"}))
    assert "system.disk.utilization" not in values
    assert "system.disk.utilization.busiest" not in values
    assert values["system.disk.operations{disk.io.direction=read}"] == 1


def test_a_disk_plugged_in_meanwhile_has_no_rates_yet() -> None:
    assert disk.delta({}, {"sda": START}, 1.0, real=frozenset({"sda"})) == {}


DISK = st.builds(disk.DiskStat, *[st.integers(0, 2**64) for _ in range(8)])
DISKS = st.dictionaries(st.sampled_from(["sda", "sdb", "loop0"]), DISK)


@given(DISKS, DISKS, st.floats(1e-3, 1e6))
def test_no_figure_is_negative_whatever_the_counters_do(
    before: dict[str, disk.DiskStat], after: dict[str, disk.DiskStat], elapsed_s: float
) -> None:
    values = disk.delta(before, after, elapsed_s, real=frozenset({"sda", "sdb"}))
    assert all(math.isfinite(value) and value >= 0 for value in values.values())
    assert all(value <= 1 for name, value in values.items() if "utilization" in name)
