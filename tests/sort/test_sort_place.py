"""Folders and disks, control groups and their limits."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from headcount.errors import SystemLimitError
from headcount.sort import place
from headcount.sort.cage import Cage, Hierarchy, hierarchy
from headcount.sort.place import Place


def test_partitions_and_arrays_lead_to_their_disks(tmp_path: Path) -> None:
    # As in /sys/devices: sda1 and sda2 are partitions; md0 is an array of sda2 and sdb.
    for disk in ("sda", "sda/sda1", "sda/sda2", "sdb", "md0"):
        (tmp_path / disk).mkdir()
    for partition in ("sda1", "sda2"):
        (tmp_path / "sda" / partition / "partition").write_text("1")
    slaves = tmp_path / "md0" / "slaves"
    slaves.mkdir()
    (slaves / "sda2").symlink_to(tmp_path / "sda" / "sda2")
    (slaves / "sdb").symlink_to(tmp_path / "sdb")
    assert place.disks(tmp_path / "sda" / "sda1") == {"sda"}
    assert place.disks(tmp_path / "md0") == {"sda", "sdb"}
    assert place.disks(tmp_path / "missing") == set()


def test_which_places_share_a_disk() -> None:
    root = Place(Path("/"), 1, frozenset({"sda"}))
    assert place.same_disk(root, Place(Path("/var"), 1, frozenset({"sda"}))) == (
        "/ and /var are on the same file system"
    )
    assert place.same_disk(root, Place(Path("/md"), 2, frozenset({"sda", "sdb"}))) == (
        "/ and /md are on the same disk, sda"
    )
    assert place.same_disk(root, Place(Path("/b"), 3, frozenset({"sdb"}))) is None
    assert place.same_disk(root, Place(Path("/memory"), 4, frozenset())) is None


def test_space_is_added_up_for_each_file_system(tmp_path: Path) -> None:
    free = os.statvfs(tmp_path)
    half = int(free.f_bavail * free.f_frsize * 0.6)
    here = Place(tmp_path, 1, frozenset())
    place.ensure_space([(here, half), (Place(tmp_path, 2, frozenset()), half)])
    with pytest.raises(SystemLimitError, match="free, and data, output and runs need"):
        place.ensure_space([(here, half), (here, half)])


def test_memory_of_the_machine() -> None:
    text = "MemTotal:  100 kB\nHugePages_Total:  3\nMemAvailable:   50 kB\n"
    assert place.memory_bytes(text) == {
        "MemTotal": 102_400,
        "HugePages_Total": 3,
        "MemAvailable": 51_200,
    }
    with pytest.raises(SystemLimitError, match="choose a smaller --sortsize"):
        place.ensure_memory(10**18)


def test_the_nearest_group_that_limits_memory(tmp_path: Path) -> None:
    mounts = f"30 1 0:26 / {tmp_path} rw - cgroup2 cgroup2 rw\n"
    own = tmp_path / "user" / "session"
    own.mkdir(parents=True)
    (tmp_path / "cgroup.subtree_control").write_text("cpu memory")
    for folder in (own, own.parent):
        (folder / "cgroup.subtree_control").write_text("")
    found = hierarchy(mounts, "0::/user/session\n")
    assert found == Hierarchy(tmp_path, "memory.max", 2)
    (own.parent / "cgroup.subtree_control").write_text("memory pids")
    assert hierarchy(mounts, "0::/user/session\n") == Hierarchy(own.parent, "memory.max", 2)
    for folder in (own.parent, tmp_path):
        (folder / "cgroup.subtree_control").write_text("cpu")
    assert "offers no control group for memory" in str(hierarchy(mounts, "0::/user/session\n"))


def test_the_groups_of_version_1(tmp_path: Path) -> None:
    mounts = f"30 1 0:26 / {tmp_path} rw - cgroup cgroup rw,memory\n"
    (tmp_path / "box").mkdir()
    own = "4:memory:/box\n0::/\n"
    assert "offers no" in str(hierarchy(mounts, own))
    (tmp_path / "memory.limit_in_bytes").touch()
    assert hierarchy(mounts, own) == Hierarchy(tmp_path, "memory.limit_in_bytes", 1)
    (tmp_path / "box" / "memory.limit_in_bytes").touch()
    assert hierarchy(mounts, own) == Hierarchy(tmp_path / "box", "memory.limit_in_bytes", 1)


def test_a_group_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SystemLimitError, match="cannot keep --memory: making the control group"):
        Cage(Hierarchy(tmp_path / "missing", "memory.max", 2), "name", 10**9)


def group(name: str) -> tuple[Hierarchy, Cage] | str:
    """A group of 64 MB on this machine, or why there is none."""
    mounts = Path("/proc/self/mountinfo").read_text("utf-8")
    found = hierarchy(mounts, Path("/proc/self/cgroup").read_text("utf-8"))
    if isinstance(found, str):
        return found
    try:
        return found, Cage(found, name, 64_000_000)
    except SystemLimitError as error:
        return str(error)


def test_a_real_group_keeps_its_limit_or_says_what_to_do() -> None:
    name = f"headcount-test-{os.getpid()}"
    made = group(name)
    if isinstance(made, str):
        assert "--memory" in made
        assert "leave" in made
        return
    place_of, cage = made
    try:
        waits = "import sys; sys.stdin.readline(); len(bytearray(200_000_000)); print('alive')"
        with subprocess.Popen(
            [sys.executable, "-c", waits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            cage.hold(process.pid)
            output, _ = process.communicate(b"\n")
            assert output == b""
            assert process.returncode == -9
    finally:
        cage.close()
    assert not (place_of.folder / name).exists()
