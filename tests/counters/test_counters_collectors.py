"""CPU of garbage collectors' threads, against threads that bear their names."""

import ctypes
import os
import threading
import time
from collections.abc import Iterator

import pytest

from headcount.counters.proc import process
from headcount.counters.proc.collectors import Collectors
from headcount.counters.proc.process import Process

_SET_NAME = 15
"""PR_SET_NAME (prctl(2))."""


class Worker(threading.Thread):
    """A thread of a name, which computes when told to."""

    def __init__(self, name: str) -> None:
        super().__init__(daemon=True)
        self.wanted = name
        self.ready = threading.Event()
        self.work = threading.Event()
        self.end = threading.Event()
        self.used_s = 0.0

    def run(self) -> None:
        ctypes.CDLL(None).prctl(_SET_NAME, self.wanted.encode(), 0, 0, 0)
        self.ready.set()
        self.work.wait()
        while not self.end.is_set():
            sum(range(10_000))
        self.used_s = time.thread_time()


@pytest.fixture
def workers() -> Iterator[dict[str, Worker]]:
    names = ("GC Thread#0", "G1 Main Marker", "VM Thread", "http-worker-1", "VM Periodic Tas")
    made = {name: Worker(name) for name in names}
    for one in made.values():
        one.start()
        one.ready.wait()
    yield made
    for one in made.values():
        one.end.set()
        one.work.set()
        one.join()


def ourselves() -> Process:
    one = process.read("/proc", os.getpid())
    assert one is not None
    return one


@pytest.mark.parametrize("name", ["GC Thread#0", "VM Thread", "http-worker-1", "VM Periodic Tas"])
def test_what_they_use_is_counted_while_they_are_there(
    workers: dict[str, Worker], name: str
) -> None:
    collectors = Collectors("/proc")
    collectors.utilization(0.0, [ourselves()])
    workers[name].work.set()
    time.sleep(0.3)
    one = ourselves()
    found = collectors.utilization(1.0, [one])
    assert found is not None
    native = workers[name].native_id
    assert native is not None
    assert one.thread_times is not None
    used_s = one.thread_times[native].run_ns / 1e9
    assert used_s > 0.01
    expected = used_s if name in ("GC Thread#0", "VM Thread") else 0.0
    assert found == pytest.approx(expected, abs=0.01)


def test_without_a_collector_nothing_is_said() -> None:
    collectors = Collectors("/proc")
    for at_s in (0.0, 1.0):
        assert collectors.utilization(at_s, [ourselves()]) is None
