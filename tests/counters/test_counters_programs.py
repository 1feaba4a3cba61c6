"""Whose programs used the CPU, on a machine of which every tick is known."""

import shutil
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TextIO

import counters_machine as machine
import pytest

from headcount.counters.proc import tree
from headcount.counters.proc.source import HostSource
from headcount.counters.proc.tree import Tree, read_others

OTHER = 5000
SHELL = 5001
"""A child of the server that is there for a moment, and is not read with its tree."""


def stat(pid: int, parent: int, ticks: int, *, reaped: int = 0) -> str:
    tail = " ".join(["0"] * 20)
    times = f"{ticks} 0 {reaped} 0"
    return f"{pid} (x) S {parent} 1 1 0 -1 0 0 0 0 0 {times} 20 0 1 0 5000 999 25 {tail}\n"


def figures(
    root: Path, *, ignored: int, group: bool = False, other: tuple[int, int] = (0, 30)
) -> dict[str, float]:
    """The second of two samples, between which all programs used 90 ticks and the server 40."""
    clock = machine.Clock()
    proc, sys_ = root / "proc", root / "sys"
    source = HostSource("sut", [machine.PID], fine=False, proc=proc, sys=sys_, clock=clock)
    with closing(source):
        values: dict[str, float] = {}
        for moment in (0, 1):
            clock.now_s = float(moment)
            own = f"0::/{'lab' if group else ''}\n"
            files = machine.host(moment) | machine.process(moment) | machine.cgroup_v2(2 * moment)
            files |= {
                f"proc/{machine.PID}/status": f"SigBlk:\t0\nSigIgn:\t{ignored:016x}\n",
                f"proc/{machine.PID}/cgroup": own,
                "proc/self/cgroup": "0::/\n",
                f"proc/{OTHER}/stat": stat(OTHER, 1, other[moment] // 2, reaped=other[moment] // 2),
            }
            if moment:
                files[f"proc/{SHELL}/stat"] = stat(SHELL, machine.PID, 25)
            machine.write(root, files)
            values = source.sample().values
        return values


def test_the_tree_counts_children_that_were_waited_for(tmp_path: Path) -> None:
    values = figures(tmp_path, ignored=0)
    assert values["process.cpu.utilization"] == pytest.approx(0.4)
    assert values["system.cpu.foreign"] == pytest.approx(0.5, abs=0.05)


def test_cpu_time_of_ignored_children_is_the_servers(tmp_path: Path) -> None:
    """SIGCHLD is ignored: of 90 ticks others used 30, so 60 are the server's."""
    values = figures(tmp_path, ignored=1 << 16)
    assert values["process.cpu.utilization"] == pytest.approx(0.6, abs=0.05)
    assert values["system.cpu.foreign"] == pytest.approx(0.3, abs=0.05)


def test_what_others_use_while_they_are_read_is_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine that takes a while: others use 20 ticks before they are read, 20 after."""
    samples = 0

    def read_slowly(proc: str, besides: Collection[int]) -> Tree:
        nonlocal samples
        samples += 1
        if samples == 2:
            machine.write(tmp_path, {f"proc/{OTHER}/stat": stat(OTHER, 1, 15 + 20, reaped=15)})
        found = read_others(proc, besides)
        if samples == 2:
            text = (tmp_path / "proc/stat").read_text()
            (tmp_path / "proc/stat").write_text(text.replace("cpu  1060 ", "cpu  1100 "))
        return found

    monkeypatch.setattr(tree, "read_others", read_slowly)
    values = figures(tmp_path, ignored=1 << 16)
    assert samples == 2
    assert values["process.cpu.utilization"] == pytest.approx(0.6, abs=0.05)
    assert values["system.cpu.foreign"] == pytest.approx(0.5, abs=0.05)


def test_others_are_read_again_if_one_ends_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A compiler ends after its parent was read: its time is in neither, then in its parent's."""
    make, compiler = OTHER, OTHER + 9
    files = {
        "proc/uptime": "60.0 60.0\n",
        f"proc/{make}/stat": stat(make, 1, 3),
        f"proc/{compiler}/stat": stat(compiler, make, 40),
    }
    machine.write(tmp_path, files)
    read_text = tree.read_text

    def reading(path: str) -> str | None:
        text = read_text(path)
        if path.endswith(f"{make}/stat") and (tmp_path / f"proc/{compiler}").exists():
            shutil.rmtree(tmp_path / f"proc/{compiler}")
            machine.write(tmp_path, {f"proc/{make}/stat": stat(make, 1, 3, reaped=40)})
        return text

    monkeypatch.setattr(tree, "read_text", reading)
    monkeypatch.setattr(tree, "_listed", lambda proc: sorted(_pids(proc)))
    processes = read_others(str(tmp_path / "proc"), set()).processes
    assert {pid: one.totals.cpu_ticks for pid, one in processes.items()} == {make: (3, 40)}


def _pids(proc: str) -> list[int]:
    return [int(each.name) for each in Path(proc).iterdir() if each.name.isdigit()]


def test_the_server_used_at_least_what_its_tree_shows(tmp_path: Path) -> None:
    values = figures(tmp_path, ignored=1 << 16, other=(0, 80))
    assert values["process.cpu.utilization"] == pytest.approx(0.4)
    assert values["system.cpu.foreign"] == pytest.approx(0.5, abs=0.05)


def test_the_groups_figure_wins(tmp_path: Path) -> None:
    """The group used 0.8 CPUs of the 0.9 of all programs; its tree shows 0.4 of them."""
    values = figures(tmp_path, ignored=1 << 16, group=True)
    assert values["cgroup.cpu.utilization"] == pytest.approx(0.8)
    assert values["process.cpu.utilization"] == pytest.approx(0.4)
    assert values["system.cpu.foreign"] == pytest.approx(0.1, abs=0.05)


FORKING = """
import os, signal, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print("up", flush=True)
for _ in sys.stdin:
    reading, writing = os.pipe()
    for _ in range(5):
        if os.fork() == 0:
            while time.process_time() < 0.1:
                pass
            os._exit(0)
    os.close(writing)
    os.read(reading, 1)  # ends with the last child
    os.close(reading)
    print("done", flush=True)
"""


NEIGHBOUR = """
import ctypes, os, sys, time
if os.fork():
    os._exit(0)  # what Headcount started counts as its own
PR_SET_CHILD_SUBREAPER = 36
assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
end, keep = os.pipe()
ready, tell = os.pipe()
middle = os.fork()
if middle == 0:
    os.close(keep)
    if os.fork() == 0:
        if os.fork() == 0:
            while time.process_time() < 0.5:
                pass
            parent = os.getppid()
            os.write(tell, b"x")
            while os.getppid() == parent:
                time.sleep(0.01)
        else:
            os.read(end, 1)
        os._exit(0)
    os.wait()
    time.sleep(60)
os.read(ready, 1)
print("up", flush=True)
sys.stdin.readline()
os.close(keep)
os.wait()
print("done", flush=True)
sys.stdin.readline()
os.kill(middle, 9)
"""
"""Four generations; the last used half a second. The third ends, and then the last, which the first
waits for, although the second is nearer."""


@contextmanager
def program(text: str) -> Iterator[tuple[int, TextIO, TextIO]]:
    """A Python program once it has printed "up": its process id, its input and its output."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", text]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1) as running:
        assert running.stdin
        assert running.stdout
        assert running.stdout.readline() == "up\n"
        yield running.pid, running.stdin, running.stdout
        running.stdin.close()


def test_a_real_server_that_ignores_its_children() -> None:
    """Each of ten children uses a tenth of a second, by its own clock, and is never read.

    Meanwhile a program ends that used half a second before, and so does its parent.
    """
    with (
        program(FORKING) as (pid, say, heard),
        program(NEIGHBOUR) as (_, end, ended),
        closing(HostSource("sut", [pid], fine=False)) as source,
    ):
        source.sample()
        began_s = time.monotonic()
        end.write("\n")
        assert ended.readline() == "done\n"
        say.write("\n\n")
        assert [heard.readline() for _ in range(2)] == ["done\n"] * 2
        values = source.sample().values
        used_s = values["process.cpu.utilization"] * (time.monotonic() - began_s)
    assert used_s > 0.8
