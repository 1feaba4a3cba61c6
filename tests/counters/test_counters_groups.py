"""Which control groups processes are in."""

from contextlib import closing
from pathlib import Path

import counters_machine as machine
import pytest

from headcount.counters.generator import GeneratorSource
from headcount.counters.proc import groups
from headcount.counters.proc.source import HostSource

HYBRID = """\
9:name=systemd:/
7:blkio:/lab
4:memory:/lab/small
2:cpu,cpuacct:/lab
0::/lab
"""


def test_each_controller_has_a_group() -> None:
    assert groups.parse(HYBRID) == {
        "memory": "/lab/small",
        "cpu": "/lab",
        "cpuacct": "/lab",
        "unified": "/lab",
    }
    assert groups.parse("0::/../outside\nnonsense\n1:cpu\n") == {}


def test_mounts_give_the_root_group_of_each_controller() -> None:
    mounts = (
        "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
        "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\nnonsense\n"
    )
    assert groups.parse_mounts(mounts) == {
        "cpu": "/docker/abc",
        "cpuacct": "/docker/abc",
        "unified": "/",
    }


def proc(root: Path, **members: str) -> str:
    machine.write(root, {f"proc/{name.strip('p')}/cgroup": text for name, text in members.items()})
    return str(root / "proc")


def test_a_group_counts_if_all_are_in_it_and_headcount_is_not(tmp_path: Path) -> None:
    theirs = "4:memory:/lab\n1:cpu:/both\n0::/lab/a\n"
    ours = "4:memory:/\n1:cpu:/both/gen\n0::/lab\n"
    where = proc(tmp_path, p1=theirs, p2=theirs.replace("/lab/a", "/lab/b"), self=ours)
    assert groups.shared_paths(where, [1]) == {"memory": "/lab", "unified": "/lab/a"}
    assert groups.shared_paths(where, [1, 2]) == {"memory": "/lab"}
    assert groups.shared_paths(where, [1, 99]) == groups.shared_paths(
        where, [1]
    )  # one that has ended
    assert groups.shared_paths(where, []) == groups.shared_paths(where, [99]) == {}
    assert groups.shared_paths(proc(tmp_path, p1="0::/\n", self="0::/gen\n"), [1]) == {}


def test_names_below_the_mounted_group(tmp_path: Path) -> None:
    where = proc(tmp_path, p1="0::/docker/abc/lab\n", p2="0::/docker/abc\n")
    mount = "41 31 0:38 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
    machine.write(tmp_path, {"proc/self/mountinfo": mount})
    assert groups.paths(where, 1) == {"unified": "/lab"}
    assert groups.paths(where, 2) == {"unified": "/"}


@pytest.mark.parametrize("layout", [machine.cgroup_v1, machine.cgroup_v2])
def test_the_servers_group_is_found_by_its_process(tmp_path: Path, layout: object) -> None:
    assert callable(layout)
    text = "4:memory:/lab\n2:cpu:/lab\n3:cpuacct:/lab\n0::/lab\n"
    machine.write(tmp_path, {f"proc/{machine.PID}/cgroup": text, "proc/self/cgroup": "0::/\n"})
    clock = machine.Clock()
    host = HostSource(
        "sut", [machine.PID], fine=False, proc=tmp_path / "proc", sys=tmp_path / "sys", clock=clock
    )
    with closing(host):
        for moment in (0, 1):
            machine.write(tmp_path, machine.host(moment) | machine.process(moment) | layout(moment))
            values = host.sample().values
            clock.now_s += 1
        assert values["cgroup.cpu.throttled"] == pytest.approx(0.8)
        assert values["cgroup.cpu.limit"] == 0.5
        assert values["cgroup.memory.limit"] == 2097152
        # Moved to another group, which has no figures of the time before.
        machine.write(tmp_path, {f"proc/{machine.PID}/cgroup": text.replace("lab", "moved")})
        machine.write(tmp_path, layout(0, "moved"))
        moved = host.sample().values
        assert "cgroup.cpu.throttled" not in moved
        assert moved["cgroup.cpu.limit"] == 0.5


def test_controllers_may_have_groups_of_different_names(tmp_path: Path) -> None:
    names = {"cpu": "/quota", "cpuacct": "/quota", "memory": "/small", "unified": "/lab"}
    lines = "".join(f"1:{key if key != 'unified' else ''}:{name}\n" for key, name in names.items())
    machine.write(tmp_path, {f"proc/{machine.PID}/cgroup": lines, "proc/self/cgroup": "0::/\n"})
    clock = machine.Clock()
    host = HostSource(
        "sut", [machine.PID], fine=False, proc=tmp_path / "proc", sys=tmp_path / "sys", clock=clock
    )
    with closing(host):
        for moment in (0, 1):
            files = {
                path.replace("/lab/", f"{names.get(path.split('/')[3], '/lab')}/"): text
                for path, text in machine.cgroup_v1(moment).items()
            }
            machine.write(tmp_path, machine.host(moment) | machine.process(moment) | files)
            values = host.sample().values
            clock.now_s += 1
    assert values["cgroup.cpu.throttled"] == pytest.approx(0.8)
    assert values["cgroup.memory.limit_hits"] == 3
    assert values["cgroup.pressure{resource=io,kind=some}"] == pytest.approx(0.25)


def test_the_generator_shows_its_own_quota(tmp_path: Path) -> None:
    machine.write(tmp_path, {"proc/self/cgroup": "0::/lab\n"})
    clock = machine.Clock()
    generator = GeneratorSource(proc=tmp_path / "proc", sys=tmp_path / "sys", clock=clock)
    for moment in (0, 1):
        machine.write(tmp_path, machine.cgroup_v2(moment))
        values = generator.sample().values
        clock.now_s += 1
    assert values["cgroup.cpu.throttled"] == pytest.approx(0.8)
    assert values["cgroup.pressure{resource=cpu,kind=full}"] == pytest.approx(0.1)


def test_the_root_group_limits_containers_only(tmp_path: Path) -> None:
    sys = tmp_path / "sys"
    machine.write(tmp_path, machine.cgroup_v2(0, "."))
    assert groups.limiting(sys, {"unified": "/"}) == {}
    machine.write(tmp_path, {"sys/fs/cgroup/cgroup.type": "domain\n"})
    assert groups.limiting(sys, {"unified": "/"}) == {"unified": "/"}
    assert groups.limiting(sys, {"unified": "/gone"}) == {}


def test_limits_at_the_root_of_version_1(tmp_path: Path) -> None:
    sys, root = tmp_path / "sys", {"cpu": "/", "cpuacct": "/", "memory": "/"}
    machine.write(tmp_path, machine.cgroup_v1(0, "."))
    assert groups.limiting(sys, root) == root
    unlimited = {
        "cpu/cpu.cfs_quota_us": "-1\n",
        "memory/memory.limit_in_bytes": f"{2**63 - 4096}\n",
    }
    machine.write(tmp_path, {f"sys/fs/cgroup/{name}": text for name, text in unlimited.items()})
    assert groups.limiting(sys, root) == {}
