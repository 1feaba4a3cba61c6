"""Locks on files, against one process that holds a lock on request and another that waits."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from headcount.counters.catalogue import lookup
from headcount.counters.proc import process
from headcount.counters.proc.file_locks import HELD, WAITING, FileLocks, Locked, parse
from headcount.counters.proc.process import Process

CHILD = """
import fcntl, sys
file = open(sys.argv[1], "w")
for line in sys.stdin:
    print("now", flush=True) if line == "wait\\n" else None
    fcntl.lockf(file, fcntl.LOCK_UN if line == "leave\\n" else fcntl.LOCK_EX)
    print("done", flush=True)
"""

LISTED = """\
1: POSIX  ADVISORY  WRITE 3568 fd:00:2531452 0 EOF
1: -> POSIX  ADVISORY  WRITE 3570 fd:00:2531452 0 EOF
2: FLOCK  ADVISORY  WRITE 3548 fd:00:2531397 0 EOF
3: POSIX  ADVISORY  READ 3568 fd:00:2531455 128 128
4: OFDLCK ADVISORY  WRITE -1 00:05:7 0 EOF
5: LEASE  ACTIVE    READ 3571 fd:00:2531460 0 EOF
nonsense
"""


def test_each_line_is_a_lock_or_a_waiter() -> None:
    assert list(parse(LISTED)) == [
        Locked(3568, "fd:00:2531452", waits=False, writes=True),
        Locked(3570, "fd:00:2531452", waits=True, writes=True),
        Locked(3548, "fd:00:2531397", waits=False, writes=True),
        Locked(3568, "fd:00:2531455", waits=False, writes=False),
        Locked(3571, "fd:00:2531460", waits=False, writes=False),
    ]
    assert list(parse("")) == []


class Locker:
    """A process that locks a file on request."""

    def __init__(self, running: subprocess.Popen[str], one: Process) -> None:
        self.running = running
        self.process = one

    def send(self, command: str, answer: str = "done") -> None:
        assert self.running.stdin
        assert self.running.stdout
        self.running.stdin.write(f"{command}\n")
        self.running.stdin.flush()
        assert self.running.stdout.readline() == f"{answer}\n"


@contextmanager
def locker(path: Path) -> Iterator[Locker]:
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        one = process.read("/proc", child.pid)
        assert one is not None
        yield Locker(child, one)
        child.kill()


def figures(gauge: FileLocks) -> dict[str, float]:
    return {name: value for name, _, value in gauge.look()}


def test_the_share_of_time_locked_and_the_waiters_are_counted(tmp_path: Path) -> None:
    with locker(tmp_path / "data") as first, locker(tmp_path / "data") as second:
        gauge = FileLocks("/proc", lambda: [first.process, second.process])
        assert figures(gauge) == {}  # the first look learns what is always locked
        assert figures(gauge) == {HELD: 0.0, WAITING: 0.0}
        first.send("lock")
        assert figures(gauge) == {HELD: 0.5, WAITING: 0.0}
        second.send("wait", "now")
        until = time.monotonic() + 10  # a busy machine takes a while to let it wait
        while figures(gauge)[WAITING] != 1.0:
            assert time.monotonic() < until
            time.sleep(0.01)
        assert figures(gauge)[HELD] > 0.5


def test_a_file_that_is_always_locked_does_not_count(tmp_path: Path) -> None:
    with locker(tmp_path / "pid") as daemon:
        daemon.send("lock")
        gauge = FileLocks("/proc", lambda: [daemon.process])
        figures(gauge)
        assert figures(gauge) == {HELD: 0.0, WAITING: 0.0}
        # A file that is free now and then counts, even if it was locked at first.
        daemon.send("leave")
        figures(gauge)
        daemon.send("lock")
        assert figures(gauge)[HELD] == pytest.approx(1 / 3)


def test_locks_of_others_do_not_count(tmp_path: Path) -> None:
    with locker(tmp_path / "data") as stranger, locker(tmp_path / "mine") as own:
        gauge = FileLocks("/proc", lambda: [own.process])
        figures(gauge)
        stranger.send("lock")
        assert figures(gauge) == {HELD: 0.0, WAITING: 0.0}
        gauge.close()


@pytest.mark.parametrize("text", [None, LISTED * 400])
def test_a_missing_or_very_long_lock_list_is_ignored(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "locks").write_text(text)
    gauge = FileLocks(str(tmp_path), list)
    assert figures(gauge) == figures(gauge) == {}


@pytest.mark.parametrize("name", [HELD, WAITING])
def test_both_counters_have_a_meaning(name: str) -> None:
    assert lookup(name) is not None
