"""Locks on files, against one process that holds a lock on request and another that waits."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from headcount.counters.catalogue import lookup
from headcount.counters.proc import process
from headcount.counters.proc.file_locks import HELD, WAITING, FileLocks, Locked, parse
from headcount.counters.proc.process import Process

CHILD = """
import fcntl, select, socket, sys
file = open(sys.argv[1], "w")
listening = socket.create_server(("127.0.0.1", 0))
for line in sys.stdin:
    print("now", flush=True) if line in ("wait\\n", "serve\\n") else None
    calls = select.epoll() if line == "serve\\n" else None
    calls.register(listening) if calls else None
    calls.poll() if calls else None
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
        Locked(3568, "fd:00:2531452", waits=False, writes=True, is_whole=False),
        Locked(3570, "fd:00:2531452", waits=True, writes=True, is_whole=False),
        Locked(3548, "fd:00:2531397", waits=False, writes=True, is_whole=True),
        Locked(3568, "fd:00:2531455", waits=False, writes=False, is_whole=False),
        Locked(3571, "fd:00:2531460", waits=False, writes=False, is_whole=False),
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
        wait_for(second)
        assert figures(gauge) == {HELD: pytest.approx(2 / 3), WAITING: 1.0}


def wait_for(waiter: Locker) -> None:
    """Return when it waits for a lock: a busy machine takes a while."""
    until = time.monotonic() + 10
    while not any(
        one.waits and one.pid == waiter.process.pid
        for one in parse(Path("/proc/locks").read_text())
    ):
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_lock_that_nobody_passes_on_does_not_count(tmp_path: Path) -> None:
    """Of Postfix's idle daemons, one keeps a lock while it waits for a connection."""
    with locker(tmp_path / "accept") as idle, locker(tmp_path / "accept") as next_one:
        gauge = FileLocks("/proc", lambda: [idle.process, next_one.process])
        figures(gauge)
        idle.send("lock")
        next_one.send("wait", "now")
        wait_for(next_one)
        for _ in range(30):
            assert figures(gauge) == {HELD: 0.0, WAITING: 0.0}
        idle.send("leave")
        assert next_one.running.stdout
        assert next_one.running.stdout.readline() == "done\n"
        assert figures(gauge) == {HELD: 1.0, WAITING: 0.0}  # it was passed on


def test_a_lock_of_a_process_that_waits_for_a_connection_does_not_count(tmp_path: Path) -> None:
    """Under load, Postfix's daemons pass theirs on, and each holds it while it is idle."""
    with (
        locker(tmp_path / "accept") as first,
        locker(tmp_path / "accept") as second,
        locker(tmp_path / "data") as other,
    ):
        gauge = FileLocks("/proc", lambda: [first.process, second.process, other.process])
        figures(gauge)
        first.send("lock")
        first.send("serve", "now")
        second.send("wait", "now")
        wait_for(second)
        until = time.monotonic() + 10
        while figures(gauge)[WAITING]:
            assert time.monotonic() < until
        assert figures(gauge)[WAITING] == 0.0
        other.send("lock")
        for _ in range(25):
            found = figures(gauge)
        assert found == {HELD: 1.0, WAITING: 0.0}, "that of the data"
        other.send("leave")
        for _ in range(25):
            found = figures(gauge)
        assert found == {HELD: 0.0, WAITING: 0.0}
        gauge.close()


@pytest.mark.parametrize(
    ("kind", "threads", "held"), [("FLOCK ", 1, 0.0), ("FLOCK ", 8, 1.0), ("POSIX ", 1, 1.0)]
)
def test_a_lock_of_a_whole_file_counts_once_it_is_passed_on(
    tmp_path: Path, kind: str, threads: int, held: float
) -> None:
    """SQLite's waiters sleep, and threads of one process may lock a file in turn."""
    read = process.read("/proc", os.getpid())
    assert read is not None
    one = replace(read, threads=threads)
    other = replace(one, pid=one.pid + 1)
    gauge = FileLocks(str(tmp_path), lambda: [one, other])

    def look(pid: int | None) -> dict[str, float]:
        line = f"1: {kind} ADVISORY  WRITE {pid} fd:00:7 0 EOF\n"
        (tmp_path / "locks").write_text(line if pid is not None else "")
        return figures(gauge)

    look(None)
    for _ in range(30):
        assert look(one.pid) == {HELD: held, WAITING: 0.0}
    assert look(other.pid)[HELD] == 1.0


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
