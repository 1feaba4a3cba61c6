"""CPU time of garbage collectors' threads, against threads with their names."""

import ctypes
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.counters.proc import process
from headcount.counters.proc.collectors import Collectors, names_below
from headcount.counters.proc.process import Process

_SET_NAME = 15
"""PR_SET_NAME (prctl(2))."""


class Worker(threading.Thread):
    """A thread with a given name, which computes on request."""

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
    threads = {name: Worker(name) for name in names}
    for one in threads.values():
        one.start()
        one.ready.wait()
    yield threads
    for one in threads.values():
        one.end.set()
        one.work.set()
        one.join()


NODE = """
import ctypes, os, threading, time
name = lambda: ctypes.CDLL(None).prctl(15, b"node", 0, 0, 0)
name()
burns = (3, 7)  # a helper, and a thread that began later
def run(number):
    name()
    os.write(1, f"{number} {threading.get_native_id()}\\n".encode())  # a line whole
    while number in burns:
        sum(range(10_000))
    time.sleep(60)
for number in range(2, 8):  # the second to the seventh thread
    threading.Thread(target=run, args=(number,), daemon=True).start()
    time.sleep(0.02)
time.sleep(60)
"""


def test_only_helper_threads_of_node_count() -> None:
    with subprocess.Popen([sys.executable, "-c", NODE], stdout=subprocess.PIPE, text=True) as node:
        try:
            assert node.stdout is not None
            threads = dict(map(int, node.stdout.readline().split()) for _ in range(6))

            def helper_s() -> float:
                path = Path(f"/proc/{node.pid}/task/{threads[3]}/schedstat")
                return int(path.read_text("ascii").split()[0]) / 1e9

            def used(at_s: float) -> float | None:
                one = process.read("/proc", node.pid)
                assert one is not None
                return collectors.utilization(at_s, [one])

            collectors = Collectors(names_below("/proc"))
            used(0.0)
            before_s = helper_s()
            time.sleep(0.5)
            assert used(1.0) == pytest.approx(helper_s() - before_s, abs=0.05)
        finally:
            node.kill()


def this_process() -> Process:
    one = process.read("/proc", os.getpid())
    assert one is not None
    return one


@pytest.mark.parametrize("name", ["GC Thread#0", "VM Thread", "http-worker-1", "VM Periodic Tas"])
def test_cpu_time_of_live_collectors_is_counted(workers: dict[str, Worker], name: str) -> None:
    collectors = Collectors(names_below("/proc"))
    collectors.utilization(0.0, [this_process()])
    workers[name].work.set()
    time.sleep(0.3)
    one = this_process()
    found = collectors.utilization(1.0, [one])
    assert found is not None
    native = workers[name].native_id
    assert native is not None
    assert one.thread_times is not None
    used_s = one.thread_times[native].run_ns / 1e9
    assert used_s > 0.01
    expected = used_s if name in ("GC Thread#0", "VM Thread") else 0.0
    assert found == pytest.approx(expected, abs=0.01)


def test_without_a_collector_there_is_no_figure() -> None:
    collectors = Collectors(names_below("/proc"))
    for at_s in (0.0, 1.0):
        assert collectors.utilization(at_s, [this_process()]) is None
