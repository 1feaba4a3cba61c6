"""Control groups: the same figures from either layout, and none without a group."""

from pathlib import Path

import counters_machine as machine
import pytest

from headcount.counters.proc import cgroup, memory

EXPECTED = {
    "cgroup.cpu.utilization": 0.4,
    "cgroup.cpu.limit": 0.5,
    "cgroup.cpu.throttled": 0.8,
    "cgroup.cpu.throttled_time": 0.6,
    "cgroup.memory.usage": 1048576,
    "cgroup.memory.limit": 2097152,
    "cgroup.memory.limit_hits": 3,
    "cgroup.memory.oom_kills": 1,
    "cgroup.memory.refaults": 20 * memory.PAGE_BYTES,
    "cgroup.paging.faults{system.paging.fault.type=major}": 2,
    **{f"cgroup.pressure{{resource={r},kind=some}}": 0.25 for r in ("cpu", "io", "memory")},
    **{f"cgroup.pressure{{resource={r},kind=full}}": 0.10 for r in ("cpu", "io", "memory")},
}


def readings(root: Path, *moments: dict[str, str], group: str = "/lab") -> list[cgroup.Cgroup]:
    taken = []
    for files in moments:
        machine.write(root, files)
        taken.append(cgroup.read(cgroup.folders(root / "sys", group)))
    return taken


@pytest.mark.parametrize("layout", [machine.cgroup_v1, machine.cgroup_v2])
def test_both_layouts_give_the_same_figures(layout, tmp_path: Path) -> None:
    before, after = readings(tmp_path, layout(0), layout(1))
    values = cgroup.gauges(after) | cgroup.delta(before, after, 1.0)
    assert values == {name: pytest.approx(value) for name, value in EXPECTED.items()}


def test_an_unlimited_group_has_no_limit_in_either_layout(tmp_path: Path) -> None:
    v1 = machine.cgroup_v1(0) | {
        "sys/fs/cgroup/cpu/lab/cpu.cfs_quota_us": "-1\n",
        "sys/fs/cgroup/memory/lab/memory.limit_in_bytes": "9223372036854771712\n",
    }
    v2 = machine.cgroup_v2(0) | {
        "sys/fs/cgroup/lab/cpu.max": "max 100000\n",
        "sys/fs/cgroup/lab/memory.max": "max\n",
    }
    for name, files in (("v1", v1), ("v2", v2)):
        (reading,) = readings(tmp_path / name, files)
        assert cgroup.gauges(reading) == {"cgroup.memory.usage": 1048576}


def test_a_group_without_periods_has_no_throttling_figure(tmp_path: Path) -> None:
    before, after = readings(tmp_path, machine.cgroup_v2(0), machine.cgroup_v2(0))
    assert "cgroup.cpu.throttled" not in cgroup.delta(before, after, 1.0)


def test_a_missing_group_gives_nothing(tmp_path: Path) -> None:
    machine.write(tmp_path, machine.cgroup_v2(0))
    nothing = cgroup.read(cgroup.folders(tmp_path / "sys", "/other"))
    assert cgroup.gauges(nothing) == {}
    assert cgroup.delta(nothing, nothing, 1.0) == {}


def test_a_recreated_group_has_no_negative_rates(tmp_path: Path) -> None:
    before, after = readings(tmp_path, machine.cgroup_v2(1), machine.cgroup_v2(0))
    assert cgroup.delta(before, after, 1.0) == {}
