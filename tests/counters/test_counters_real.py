"""The source on this machine, against figures from elsewhere."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from headcount.counters.environment.filesystem import describe_file_systems
from headcount.counters.generator import GeneratorSource
from headcount.counters.proc.source import SAMPLER_CPU_TIME, HostSource

CPU = "process.cpu.utilization"
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Child:
    """The process under test; see counters_child.py."""

    def __init__(self) -> None:
        script = Path(__file__).with_name("counters_child.py")
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [sys.executable, script], stdin=pipe, stdout=pipe, text=True, bufsize=1
        )
        self.send("usage")

    def send(self, command: str) -> tuple[float, int]:
        """Give a command; return CPU seconds and blocks written so far by getrusage."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(command + "\n")
        cpu_s, blocks = self.process.stdout.readline().split()
        return float(cpu_s), int(blocks)


@pytest.fixture
def child() -> Iterator[Child]:
    one = Child()
    yield one
    assert one.process.stdin
    assert one.process.stdout
    one.process.stdin.close()
    one.process.wait(timeout=20)
    one.process.stdout.close()


Watch = Callable[..., HostSource]


@pytest.fixture
def watch() -> Iterator[Watch]:
    """Make a source that ends with the test."""
    with ExitStack() as stack:

        def begin(*given: Any) -> HostSource:
            return stack.enter_context(closing(HostSource(*given)))

        yield begin


def used(source: HostSource, child: Child, command: str) -> tuple[dict[str, float], float, float]:
    """Return the counters over a command, the time they cover, and the CPU time by getrusage."""
    before_s, _ = child.send("usage")
    first = source.sample()
    after_s, _ = child.send(command)
    second = source.sample()
    return dict(second.values), second.at_s - first.at_s, after_s - before_s


@pytest.mark.parametrize("command", ["burn 0.7", "fork 0.7"])
def test_cpu_time_is_what_getrusage_says(child: Child, command: str, watch: Watch) -> None:
    source = watch("server", [child.process.pid])
    values, elapsed_s, cpu_s = used(source, child, command)
    # The kernel reports user, system and waited-for time each in whole ticks.
    assert values[CPU] * elapsed_s == pytest.approx(cpu_s, abs=4 * TICK_S)
    assert values["system.cpu.utilization"] * elapsed_s * (os.cpu_count() or 1) > 0.8 * cpu_s


def test_the_busiest_thread_is_the_one_that_burns(child: Child, watch: Watch) -> None:
    source = watch("server", [child.process.pid])
    values, elapsed_s, cpu_s = used(source, child, "burn 0.5")
    # The kernel brings a running thread's time up to date at its tick, 10 ms at the slowest.
    assert values["process.cpu.busiest_thread"] * elapsed_s == pytest.approx(cpu_s, abs=0.02)
    assert 0 <= values["process.cpu.run_delay"] < 1


def test_a_child_counts_while_it_runs_and_once_after_it_ended(child: Child, watch: Watch) -> None:
    source = watch("server", [child.process.pid])
    before_s, _ = child.send("usage")
    samples = [source.sample()]
    assert child.process.stdin
    assert child.process.stdout
    child.process.stdin.write("fork 0.6\n")
    for _ in range(4):
        time.sleep(0.1)
        samples.append(source.sample())
    after_s = float(child.process.stdout.readline().split()[0])
    samples.append(source.sample())
    counts = [sample.values["process.count"] for sample in samples]
    assert max(counts) == 2
    assert counts[-1] == 1
    counted_s = sum(
        later.values[CPU] * (later.at_s - earlier.at_s) for earlier, later in pairwise(samples)
    )
    # The kernel reports user, system and waited-for time each in whole ticks.
    assert counted_s == pytest.approx(after_s - before_s, abs=4 * TICK_S)


def test_bytes_written_to_storage(child: Child, tmp_path: Path, watch: Watch) -> None:
    source = watch("server", [child.process.pid])
    size = 3 * 2**20
    _, blocks_before = child.send("usage")
    first = source.sample()
    _, blocks_after = child.send(f"write {tmp_path / 'data'} {size}")
    second = source.sample()
    rate = second.values["process.disk.io{disk.io.direction=write}"]
    written = rate * (second.at_s - first.at_s)
    (file_system,) = describe_file_systems([tmp_path], Path("/"))
    if file_system.kind in {"tmpfs", "ramfs"}:
        assert written == 0
    else:
        # The file system's own blocks about the file come on top.
        assert size * (1 - 1e-9) <= written <= size + 2**18
    assert written == pytest.approx((blocks_after - blocks_before) * 512)


def test_open_files_and_threads(child: Child, watch: Watch) -> None:
    source = watch("server", [child.process.pid])
    before = source.sample().values
    child.send("open 25")
    after = source.sample().values
    name = "process.open_file_descriptors"
    assert after[name] - before[name] == 25
    listed = [entry.name for entry in Path(f"/proc/{child.process.pid}/fd").iterdir()]
    assert after[name] == len(listed)
    assert after["process.threads"] == 1


def test_a_server_killed_under_load_leaves_no_negative_figure(watch: Watch) -> None:
    victim = Child()
    source = watch("server", [victim.process.pid])
    source.sample()
    victim.send("burn 0.1")
    victim.process.send_signal(signal.SIGKILL)
    dying = source.sample().values
    victim.process.communicate()
    last = source.sample().values  # its threads were looked at until it was gone
    gone = source.sample().values
    assert all(value >= 0 for value in (*dying.values(), *last.values(), *gone.values()))
    assert not [name for name in gone if name.startswith("process.")]


def test_bytes_over_the_loopback(watch: Watch) -> None:
    def kernel_bytes() -> int:
        return int(Path("/sys/class/net/lo/statistics/rx_bytes").read_text())

    source = watch("host")
    size = 5 * 2**20
    outer_before = kernel_bytes()
    first = source.sample()
    inner_before = kernel_bytes()
    with socket.create_server(("127.0.0.1", 0)) as server:
        sender = socket.create_connection(server.getsockname())
        receiver, _ = server.accept()
        with sender, receiver:
            thread = threading.Thread(target=sender.sendall, args=(bytes(size),))
            thread.start()
            received = 0
            while received < size:
                received += len(receiver.recv(2**16))
            thread.join()
    inner_after = kernel_bytes()
    second = source.sample()
    outer_after = kernel_bytes()
    name = "system.network.io{network.io.direction=receive,network.interface.name=lo}"
    seen = second.values[name] * (second.at_s - first.at_s)
    # Others may be using the loopback too: the kernel's own figure brackets ours.
    assert seen >= size
    assert inner_after - inner_before <= seen * (1 + 1e-9)
    assert seen <= (outer_after - outer_before) * (1 + 1e-9)


def test_size_of_the_machine(watch: Watch) -> None:
    values = watch("host").sample().values
    assert values["system.memory.limit"] == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert values["system.cpu.logical.count"] == os.sysconf("SC_NPROCESSORS_ONLN")


def test_the_generator_is_this_process_without_its_children(child: Child) -> None:
    source = GeneratorSource()
    assert source.name == "generator"
    child.send("usage")
    source.sample()  # the first one's extra cost comes after it has read the counter
    first, before_s = source.sample(), time.process_time()
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass
    child.send("burn 0.4")
    second, after_s = source.sample(), time.process_time()
    source.close()
    spent_s = second.values[CPU] * (second.at_s - first.at_s)
    assert spent_s == pytest.approx(after_s - before_s, abs=3 * TICK_S)
    assert second.values["process.count"] == 1


def hundred_reads_ms() -> float:
    """CPU time of reading a small file of procfs a hundred times: the unit of this machine."""
    began_s = time.thread_time()
    for _ in range(100):
        Path("/proc/self/stat").read_bytes()
    return (time.thread_time() - began_s) * 1000


def test_a_sample_costs_no_more_cpu_than_some_hundred_small_files(
    child: Child, watch: Watch
) -> None:
    source = watch("server", [child.process.pid, os.getpid()])
    costs_ms, reads_ms = [], []
    reported_ms = 0.0
    all_began_s = time.process_time()
    for _ in range(20):
        reads_ms.append(hundred_reads_ms())
        began_s = time.thread_time()
        reported_ms += source.sample().values[SAMPLER_CPU_TIME]
        costs_ms.append((time.thread_time() - began_s) * 1000)
    # It includes the thread that looks more often, and is no more than the process used.
    assert reported_ms <= (time.process_time() - all_began_s) * 1000
    # The cheapest is what it takes; the others also pay for the neighbours' use of the caches.
    assert min(costs_ms) < 4 * min(reads_ms)
