"""Control groups of version 2: what is written where, on a tree that behaves as documented."""

from pathlib import Path

import pytest
from squeeze_tree import Tree

from headcount.errors import MachineLimitError, SystemLimitError
from headcount.lab.squeeze import hierarchy
from headcount.lab.squeeze.group import make
from headcount.lab.squeeze.hierarchy import Hierarchies
from headcount.lab.squeeze.limits import NONE, Limits
from headcount.lab.squeeze.trial import group_version

ALL = frozenset({"cpu", "cpuset", "io", "memory"})


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    return Tree(tmp_path / "cgroup", monkeypatch)


def io_rule(text: str) -> tuple[str, dict[str, str]]:
    """`io.max` by the grammar of cgroup-v2.rst: `$MAJ:$MIN key=value ...`."""
    device, *words = text.split()
    return device, dict(word.split("=") for word in words)


def test_limits_are_written_as_the_kernel_documents_them(tree: Tree) -> None:
    group = make("server", Hierarchies({}, tree.root, tree.root), ALL)
    (folder,) = group.folders
    assert folder.parent == tree.root
    assert {word for at, word in tree.enabled if at == tree.root} == {f"+{one}" for one in ALL}
    limits = Limits(
        cpu_cores=0.25,
        cpus="0",
        memory_bytes=1 << 28,
        disk_read_bytes=20_000_000,
        disk_write_ops=50,
        weight=300,
    )
    group.limit(limits, "254:0")
    quota, period = (folder / "cpu.max").read_text().split()
    assert int(quota) / int(period) == 0.25
    assert (folder / "cpuset.cpus").read_text() == "0"
    assert (folder / "memory.max").read_text() == "268435456"
    assert (folder / "cpu.weight").read_text() == "300"
    assert io_rule((folder / "io.max").read_text()) == (
        "254:0",
        {"rbps": "20000000", "wbps": "max", "riops": "max", "wiops": "50"},
    )
    group.limit(NONE, "254:0")
    assert (folder / "cpu.max").read_text().split()[0] == "max"
    assert (folder / "memory.max").read_text() == "max"
    assert (folder / "cpu.weight").read_text() == "100"
    assert (folder / "cpuset.cpus").read_text().strip() == ""
    device, rule = io_rule((folder / "io.max").read_text())
    assert device == "254:0"
    assert set(rule.values()) == {"max"}
    group.remove()
    assert not folder.exists()


def test_the_group_is_made_above_a_group_with_processes(tree: Tree) -> None:
    user = tree.root / "user.slice"
    user.mkdir()
    own = user / "session.scope"
    own.mkdir()
    (own / "cgroup.procs").write_text("4711\n")
    where = Hierarchies({}, own, tree.root)
    group = make("server", where, frozenset({"cpu"}))
    assert group.folders[0].parent == tree.root, "the groups between are handed no controllers"
    unlimited = make("server", where)
    assert unlimited.folders[0].parent == own, "counting takes no controllers"
    group.add_one(1234)
    assert (group.folders[0] / "cgroup.procs").read_text() == "1234"
    group.release(1234)
    assert (own / "cgroup.procs").read_text() == "1234"


def test_a_missing_controller_is_named_with_what_to_do(tree: Tree) -> None:
    (tree.root / "cgroup.controllers").write_text("cpu\n")
    with pytest.raises(SystemLimitError, match=r"no controller memory.*Delegate=yes"):
        make("server", Hierarchies({}, tree.root, tree.root), frozenset({"cpu", "memory"}))


def test_a_machine_without_control_groups_is_an_error(tmp_path: Path) -> None:
    assert hierarchy.find(tmp_path) == Hierarchies()
    with pytest.raises(SystemLimitError, match="no control groups mounted"):
        make("server", Hierarchies())


def test_groups_are_found_from_proc(tmp_path: Path) -> None:
    (tmp_path / "self").mkdir()
    (tmp_path / "self/mountinfo").write_text(
        "31 23 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs ro\n"
        "32 31 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
        "33 31 0:28 /docker/ab /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "34 31 0:29 / /sys/fs/cgroup/my\\040group rw - cgroup cgroup rw,blkio\n"
        "35 31 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
        "36 31 0:31 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
    )
    (tmp_path / "self/cgroup").write_text(
        "5:blkio:/a\n4:memory:/docker/ab/x\n3:cpu,cpuacct:/b\n2:pids:/\n1:cpuset:/\n0::/../up\n"
    )
    found = hierarchy.find(tmp_path)
    at = Path("/sys/fs/cgroup")
    assert found.v1 == {
        "cpu": at / "cpu,cpuacct/b",
        "cpuacct": at / "cpu,cpuacct/b",
        "memory": at / "memory/x",
        "blkio": at / "my group/a",
    }
    assert found.v2 is None, "it is outside of this process's namespace"
    assert found.v2_root == at / "unified"


def test_a_trial_leaves_groups_as_they_were(tree: Tree) -> None:
    make("server", Hierarchies({}, tree.root, tree.root), frozenset({"memory"}))
    before = sorted(path.name for path in tree.root.iterdir())
    assert group_version(ALL, Hierarchies({}, tree.root, tree.root)) == 2
    assert (tree.root / "cgroup.subtree_control").read_text().split() == ["memory"]
    assert sorted(path.name for path in tree.root.iterdir()) == before


def test_a_trial_names_what_a_run_would_lack(tree: Tree) -> None:
    (tree.root / "cgroup.controllers").write_text("memory\n")
    with pytest.raises(MachineLimitError, match="no controller cpu, cpuset, io"):
        group_version(ALL, Hierarchies({}, tree.root, tree.root))
    with pytest.raises(MachineLimitError, match="no control groups mounted"):
        group_version(ALL, Hierarchies())
