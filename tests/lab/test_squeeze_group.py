"""Control groups of this machine, for real, whichever version it has."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.errors import SystemLimitError
from headcount.lab.squeeze import device, group, hierarchy
from headcount.lab.squeeze.group import Group
from headcount.lab.squeeze.limits import NONE, Limits

SPIN = "import os\nos.fork()\nwhile True: pass"
PERIODS = 5
"""Periods of 100 ms in which a busy group must have been held back."""


@pytest.fixture
def real() -> Iterator[Group]:
    created = group.make("server", hierarchy.find(), frozenset({"cpu", "memory"}))
    yield created
    for pid in created.pids():
        os.kill(pid, 9)
    created.remove()
    assert not any(folder.exists() for folder in created.folders)


def stat(created: Group) -> dict[str, int]:
    (path,) = [one for folder in created.folders if (one := folder / "cpu.stat").exists()][:1]
    return {key: int(value) for key, value in map(str.split, path.read_text().splitlines())}


def test_a_quota_throttles_a_process_and_its_children(real: Group) -> None:
    with subprocess.Popen([sys.executable, "-c", SPIN]) as busy:
        try:
            time.sleep(0.2)
            real.add([busy.pid])
            assert len(real.pids()) == 2, "the child, too"
            real.limit(Limits(cpu_cores=0.1))
            before, deadline_s = stat(real), time.monotonic() + 20
            while stat(real)["nr_throttled"] < before["nr_throttled"] + PERIODS:
                assert time.monotonic() < deadline_s, stat(real)
                time.sleep(0.05)
            real.limit(NONE)
            unlimited = stat(real)["nr_throttled"]
            time.sleep(0.3)
            assert stat(real)["nr_throttled"] <= unlimited + 1, "limits can be taken back"
        finally:
            for pid in real.pids() | {busy.pid}:
                os.kill(pid, 9)


def test_memory_is_limited(real: Group) -> None:
    take = "import sys\nsys.stdin.readline()\nheld = bytearray(1 << 28)\nprint(len(held))"
    command = [sys.executable, "-c", take]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as greedy:
        real.add([greedy.pid])
        real.limit(Limits(memory_bytes=1 << 26))
        output, _ = greedy.communicate(b"\n", timeout=60)
    assert greedy.returncode == -9, "killed for want of memory"
    assert output == b""


def test_a_process_goes_back_to_where_it_was(real: Group) -> None:
    with subprocess.Popen(["sleep", "60"]) as sleeping:
        try:
            before = Path(f"/proc/{sleeping.pid}/cgroup").read_text()
            real.add([sleeping.pid])
            inside = Path(f"/proc/{sleeping.pid}/cgroup").read_text()
            assert real.name in inside
            real.release(sleeping.pid)
            assert Path(f"/proc/{sleeping.pid}/cgroup").read_text() == before
        finally:
            sleeping.kill()


def test_a_process_that_has_ended_is_passed_over(real: Group) -> None:
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    real.add([ended.pid])
    assert real.pids() == set()


def test_groups_of_dead_runs_are_swept_and_those_of_others_stay() -> None:
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    where = hierarchy.find()
    mine = group.make("server", where)
    left = [folder.parent / f"headcount-{ended.pid}-server-1" for folder in mine.folders]
    for folder in left:
        folder.mkdir()
    group.sweep(where)
    assert not any(folder.exists() for folder in left)
    assert all(folder.exists() for folder in mine.folders)
    mine.remove()


def test_refusals_of_the_system_are_explained(real: Group) -> None:
    with pytest.raises(SystemLimitError, match="cannot limit the server's processes"):
        real.limit(Limits(disk_read_bytes=1000), "999:999")


def test_the_disk_of_a_path_is_the_whole_device(tmp_path: Path) -> None:
    number = device.device_of(tmp_path)
    names = Path("/proc/partitions").read_text().splitlines()[2:]
    whole = {f"{one.split()[0]}:{one.split()[1]}" for one in names}
    assert number in whole
    assert not (Path("/sys/dev/block") / number / "partition").exists()
    with pytest.raises(SystemLimitError, match="not on a disk"):
        device.device_of(Path("/proc"))


def test_a_partition_and_a_loop_device_stand_for_their_disk(tmp_path: Path) -> None:
    number = tmp_path.stat().st_dev
    name = f"{os.major(number)}:{os.minor(number)}"
    disk = tmp_path / "devices/sda"
    (disk / "sda1").mkdir(parents=True)
    (disk / "dev").write_text("8:0\n")
    (disk / "sda1/dev").write_text("8:1\n")
    (disk / "sda1/partition").write_text("1\n")
    (tmp_path / "dev/block").mkdir(parents=True)
    (tmp_path / "dev/block" / name).symlink_to(disk / "sda1")
    assert device.device_of(tmp_path, tmp_path) == "8:0"
