"""Whatever ends a sort, nothing of it is left."""

import os
import signal
from pathlib import Path

import pytest

from processes import Command, Headcount, proc_file, wait_for

LONG = ("--size", "300MB", "--sortsize", "1MB", "--repeat", "500", "--no-verify", "--json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "data"
    made.mkdir()
    return made


def child_of(command: Command) -> int | None:
    """The process that sorts, once it has begun to write runs."""
    pid = command.process.pid
    for child in map(int, proc_file(pid, f"task/{pid}/children").split()):
        io = proc_file(child, "io").split()
        if io and int(io[io.index(b"wchar:") + 1]) > 10_000_000:
            return child
    return None


def gone(pid: int) -> bool:
    status = proc_file(pid, "status")
    # A zombie, until the process that adopted it has noticed.
    return not status or b"\nState:\tZ" in status


@pytest.mark.parametrize("victim", ["headcount", "sort"])
def test_killed_in_the_middle(headcount: Headcount, folder: Path, victim: str) -> None:
    command = headcount.start("sort", str(folder), *LONG)
    command.reach(lambda: child_of(command) is not None)
    child = child_of(command)
    assert child is not None
    if victim == "headcount":
        command.send(signal.SIGKILL)
        assert command.ended().code == -signal.SIGKILL
    else:
        os.kill(child, signal.SIGKILL)
        ended = command.ended()
        assert ended.code == 5
        assert "the system ended the process of the sort" in ended.message
    wait_for(lambda: gone(child), 10)
    assert list(folder.iterdir()) == []


def test_ctrl_c_keeps_what_was_measured(headcount: Headcount, folder: Path) -> None:
    command = headcount.start("sort", str(folder), *LONG[:-1], "--keep")
    command.reach(lambda: "  1 of 500:" in command.err)
    command.send(signal.SIGINT)
    ended = command.ended()
    assert ended.code == 130
    assert "Interrupted: the figures cover only what was measured until then." in ended.out
    assert "Time to the last write" in ended.out
    kept = [line.removeprefix("Kept: ") for line in ended.out.splitlines() if "Kept: " in line]
    assert {str(path) for path in folder.iterdir()} == set(kept)


def test_ctrl_c_before_anything_was_measured(headcount: Headcount, folder: Path) -> None:
    command = headcount.start("sort", str(folder), "--size", "1GB", "--sortsize", "4MB")
    command.reach(lambda: " records of " in command.err)
    command.send(signal.SIGINT)
    ended = command.ended()
    assert (ended.code, ended.out) == (130, "")
    assert list(folder.iterdir()) == []


def test_a_disk_that_is_full_before_the_data_are_made(headcount: Headcount, folder: Path) -> None:
    ended = headcount.run("sort", str(folder), "--size", "20MB", ulimit="-f 10000")  # of 512 bytes
    assert (ended.code, ended.out) == (5, "")
    assert "cannot write the data: File too large" in ended.message
    assert "free some space, or choose another folder" in ended.message
    assert list(folder.iterdir()) == []


def test_a_disk_that_fills_up_with_runs(headcount: Headcount, folder: Path) -> None:
    # Data and output of 4 MB fit below 6 MB. Runs that are merged in several passes do not.
    arguments = ("--size", "4MB", "--sortsize", "130kB")
    ended = headcount.run("sort", str(folder), *arguments, ulimit="-f 12000")
    assert (ended.code, ended.out) == (5, "")
    assert f"cannot write a work file in {folder}: File too large" in ended.message
    assert list(folder.iterdir()) == []
    assert headcount.run("sort", str(folder), *arguments, "--repeat", "1").code == 0


def test_a_folder_that_may_not_be_written(headcount: Headcount) -> None:
    # /proc is a folder in which nobody can make a file, not even root.
    ended = headcount.run("sort", "/proc", "--size", "1MB", "--repeat", "1")
    assert ended.code in (2, 5)
    assert "/proc" in ended.message
