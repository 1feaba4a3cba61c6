"""What threads wait for, against threads that wait in a known call."""

import os
import platform
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from headcount.counters.catalogue import lookup
from headcount.counters.proc import process
from headcount.counters.proc.process import Process
from headcount.counters.proc.states import ThreadStates
from headcount.counters.proc.waits import KINDS, ThreadWaits

CHILD = Path(__file__).with_name("waiting_child.py")


@contextmanager
def waiting(*ways: str) -> Iterator[Process]:
    """A process with a thread for each way, and its first thread, which reads its input."""
    with subprocess.Popen(
        [sys.executable, CHILD, *ways], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout
        assert child.stdout.readline() == "waiting\n"
        one = process.read("/proc", child.pid)
        assert one is not None
        yield one
        child.kill()


def figures(one: Process) -> dict[str, float]:
    found = ThreadWaits("/proc", lambda: [one]).look()
    return {name: value for name, _, value in found}


@pytest.mark.parametrize(
    "ways",
    [
        ("lock", "lock", "lock", "sleep"),
        ("accept", "accept", "events", "send"),
        ("child", "receive", "receive"),
        (),
    ],
)
def test_each_thread_counts_by_the_call_that_it_waits_in(ways: tuple[str, ...]) -> None:
    expected = Counter(ways) + Counter(["receive"])  # the first thread reads
    named = {f"process.threads.waiting{{wait={kind}}}": count for kind, count in expected.items()}
    with waiting(*ways) as one:
        assert one.threads == len(ways) + 1
        until = time.monotonic() + 10  # a busy machine starts threads late
        while (found := {name: n for name, n in figures(one).items() if n}) != named:
            assert time.monotonic() < until, found
            time.sleep(0.02)


def test_every_kind_has_a_meaning() -> None:
    assert all(lookup(f"process.threads.waiting{{wait={kind}}}") for kind in KINDS)


def test_nothing_is_known_of_another_processor_or_of_too_many_threads() -> None:
    with waiting("lock") as one:
        assert list(ThreadWaits("/proc", lambda: [one], "riscv64").look()) == []
        assert list(ThreadWaits("/proc", lambda: [one] * 200).look()) == []
        assert list(ThreadWaits("/proc", lambda: [one] * 100, platform.machine()).look())


def test_threads_stopped_by_a_signal_are_counted() -> None:
    def stopped(one: Process) -> float:
        look = {name: value for name, _, value in ThreadStates("/proc", lambda: [one]).look()}
        return look["process.threads.stopped"]

    with waiting("lock", "sleep") as one:
        assert stopped(one) == 0
        os.kill(one.pid, signal.SIGSTOP)
        until = time.monotonic() + 10
        while stopped(one) < 3 and time.monotonic() < until:
            time.sleep(0.01)
        assert stopped(one) == 3
