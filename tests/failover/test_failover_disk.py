"""A disk that is full, in a memory file system of the test's own."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from headcount.errors import InputError, TargetError
from headcount.failover import disk_fault
from headcount.failover.kinds import fault_of


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


def free_bytes(folder: Path) -> int:
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def test_a_full_disk_takes_nothing_more_until_it_is_recovered(small: Path, tmp_path: Path) -> None:
    fault = fault_of(f"fill={small}", f"touch {tmp_path}/recovered", None)
    assert fault.text == f"fill the disk of {small}"
    for _ in range(2):
        before = free_bytes(small)
        fault.prepare()
        fault.inject(Event())
        assert free_bytes(small) < disk_fault.LEAST_STEP_BYTES
        with pytest.raises(OSError, match="No space left"):
            (small / "data").write_bytes(b"x" * 10_000)
        (small / "data").unlink()
        fault.recover()
        assert free_bytes(small) == before
    assert list(small.iterdir()) == []
    assert (tmp_path / "recovered").exists()


def test_a_disk_that_was_full_stays_full(small: Path) -> None:
    first, second = (fault_of(f"fill={small}", None, None) for _ in range(2))
    first.inject(Event())
    second.inject(Event())
    second.recover()
    assert free_bytes(small) < disk_fault.LEAST_STEP_BYTES
    first.recover()
    assert list(small.iterdir()) == []


def test_big_disks_and_files_are_refused(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="fill=/nowhere: No such file or directory"):
        fault_of("fill=/nowhere", None, None)
    (small / "file").touch()
    with pytest.raises(InputError, match="this is not a folder"):
        fault_of(f"fill={small}/file", None, None)
    monkeypatch.setattr(disk_fault, "MOST_BYTES", 1 << 20)
    with pytest.raises(InputError, match="put the server's data on a small file system"):
        fault_of(f"fill={small}", None, None)


def test_no_folder_is_not_the_present_one() -> None:
    with pytest.raises(InputError, match="name the folder"):
        fault_of("fill=", None, None)


def test_the_disk_of_the_run_itself_is_not_filled(small: Path, tmp_path: Path) -> None:
    fault = disk_fault.Fill(str(small), None)
    fault.check_beside(tmp_path / "runs")
    with pytest.raises(InputError, match="the run's own files are on the same disk"):
        fault.check_beside(small / "runs" / "today")


def test_a_read_only_folder_is_an_error(small: Path) -> None:
    fault = fault_of(f"fill={small}", None, None)
    subprocess.run(["mount", "-o", "remount,ro", small], check=True)
    with pytest.raises(TargetError, match="Read-only file system"):
        fault.inject(Event())
    fault.recover()
