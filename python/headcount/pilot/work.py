"""What a server's threads did in a while: used a CPU, waited for one, waited for a disk.

CPU time and waiting for a CPU are the kernel's own figures (`/proc/PID/task/TID/schedstat`, in
nanoseconds: proc_pid_schedstat). Waiting for a disk is sampled: a thread in state D waits.
What the machine did meanwhile is in `headcount.pilot.machine`.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from headcount.counters.proc.files import read_text
from headcount.counters.proc.process import ThreadTimes, parse_schedstat, parse_stat
from headcount.pilot.machine import Places, Reading, grown, reading
from headcount.pilot.others import Others, by_name_s, used_s
from headcount.pilot.others import read as read_others

SAMPLE_S = 0.05
"""How often the states of threads are sampled."""
MOST_SAMPLED = 256
"""Threads whose states are sampled: more would cost more than they show."""
MOST_NAMED = 3
"""How many of the programs that use most of the CPU are named."""
_NS = 1e9


@dataclass(frozen=True, slots=True)
class Work:
    """What was done in a while, in seconds summed over threads.

    Attributes:
        length_s: How long it was.
        cpu_s: CPU time.
        wait_s: Ready to run, and without a CPU.
        disk_s: Waiting for a disk.
        preempted: How often a thread with more to do was preempted.
        others_s: CPU time of all other programs.
        others: The programs that used most of that, the largest first.
        major_faults: Pages of the server that had to be read from a disk, because they were not in
            memory.
        stalled_s: Time in which one of its threads waited for memory; None where it is not known.
        dirty_bytes: Memory of all programs that waited to be written to disks.
        runnable: By CPU, in how many looks threads of the server ran there, or were ready to.
        interrupts: By CPU, how often the network cards interrupted it.
        interrupt_s: By CPU, time that all interrupts took.

    """

    length_s: float
    cpu_s: float
    wait_s: float
    disk_s: float
    preempted: int = 0
    others_s: float = 0.0
    others: Mapping[str, float] = field(default_factory=dict)
    major_faults: int = 0
    stalled_s: float | None = None
    dirty_bytes: int = 0
    runnable: Mapping[int, int] = field(default_factory=dict)
    interrupts: Mapping[int, int] = field(default_factory=dict)
    interrupt_s: Mapping[int, float] = field(default_factory=dict)

    def share(self, part_s: float) -> float:
        """`part_s` as a share of the time that its work took; 0 if it did nothing."""
        total_s = self.cpu_s + self.wait_s + self.disk_s
        return part_s / total_s if total_s else 0.0

    @property
    def stretch(self) -> float | None:
        """How long a second of work took, in seconds; 1 on a machine of its own.

        None if it hardly worked or waited: a ratio of almost nothing means nothing. A server that
        only waits for its disk is not idle.
        """
        total_s = self.cpu_s + self.wait_s + self.disk_s
        if total_s < LEAST_WORK * self.length_s or self.cpu_s < LEAST_CPU * self.length_s:
            return None
        return total_s / self.cpu_s


LEAST_WORK = 0.02
"""Share of the time: a server that works or waits less is idle."""
LEAST_CPU = 0.001
"""Share of one CPU: a ratio to less is mostly chance."""


def lives(pid: int, proc: str = "/proc") -> bool:
    """Whether a process runs; a zombie does not."""
    found = parse_stat(read_text(f"{proc}/{pid}/stat") or "")
    return found is not None and not found.ended


def descendants(roots: Iterable[int], proc: str = "/proc") -> list[int]:
    """Those of some processes that run, with all of their descendants."""
    found: dict[int, None] = {}
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        if pid in found or not lives(pid, proc):
            continue
        found[pid] = None
        for tid in threads(pid, proc):
            text = read_text(f"{proc}/{pid}/task/{tid}/children") or ""
            waiting += map(int, text.split())
    return list(found)


def threads(pid: int, proc: str = "/proc") -> list[int]:
    """The threads of a process; none where it has gone."""
    try:
        return [int(name) for name in os.listdir(f"{proc}/{pid}/task")]  # noqa: PTH208 - hot path
    except OSError:
        return []


def began(tid: int, proc: str = "/proc") -> int | None:
    """When a process or thread began, in clock ticks; None where it has gone."""
    found = parse_stat(read_text(f"{proc}/{tid}/stat") or "")
    return None if found is None else found.started_ticks


def times(pids: Iterable[int], proc: str = "/proc") -> dict[int, ThreadTimes]:
    """The times of all threads of some processes, by thread."""
    found = {}
    for pid in pids:
        for tid in threads(pid, proc):
            one = parse_schedstat(read_text(f"{proc}/{pid}/task/{tid}/schedstat") or "")
            if one is not None:
                found[tid] = one
    return found


def preemptions(pids: Iterable[int], proc: str = "/proc") -> int:
    """How often the CPU was taken from the threads of some processes so far."""
    found = 0
    for pid in pids:
        for tid in threads(pid, proc):
            text = read_text(f"{proc}/{pid}/task/{tid}/status") or ""
            words = text.partition("nonvoluntary_ctxt_switches:")[2].split()
            found += int(words[0]) if words else 0
    return found


def between(
    before: Mapping[int, ThreadTimes], after: Mapping[int, ThreadTimes]
) -> tuple[float, float]:
    """CPU time and waiting for a CPU between two readings, in seconds.

    A new thread began after the first reading. What an ended thread did is not known.
    """
    cpu = wait = 0
    for tid, now in after.items():
        was = before.get(tid, ThreadTimes(0, 0, 0))
        cpu += max(now.run_ns - was.run_ns, 0)
        wait += max(now.wait_ns - was.wait_ns, 0)
    return cpu / _NS, wait / _NS


def faults(pids: Iterable[int], proc: str = "/proc") -> dict[int, int]:
    """How many pages of some processes had to be read from a disk so far, by process."""
    found = {}
    for pid in pids:
        one = parse_stat(read_text(f"{proc}/{pid}/stat") or "")
        if one is not None:
            found[pid] = one.totals.major_faults[0]
    return found


@dataclass(frozen=True, slots=True)
class _Look:
    """All that is read at the beginning and at the end of a measurement."""

    at_s: float
    preempted: int
    faults: Mapping[int, int]
    times: Mapping[int, ThreadTimes]
    others: Others
    machine: Reading


def _look(pids: Sequence[int], places: Places, proc: str) -> _Look:
    return _Look(
        time.monotonic(),
        preemptions(pids, proc),
        faults(pids, proc),
        times(pids, proc),
        read_others([*pids, os.getpid()], proc),
        reading(places, proc),
    )


def watch(
    roots: Sequence[int],
    length_s: float,
    stop: Callable[[float], bool],
    proc: str = "/proc",
    places: Places = Places(),  # noqa: B008 - it never changes
) -> Work | None:
    """Watch a server for a while; None if `stop` ends it. `roots` are its first processes.

    `stop` waits for some seconds, and says whether to end. `places` are where to look beside it.
    """
    pids = descendants(roots, proc)
    before = _look(pids, places, proc)
    samples = waits = 0
    runnable: dict[int, int] = {}
    while (left_s := before.at_s + length_s - time.monotonic()) > 0:
        if stop(min(SAMPLE_S, left_s)):
            return None
        samples += 1
        for state, cpu in _states(pids, proc):
            waits += state == "D"
            if state == "R":
                runnable[cpu] = runnable.get(cpu, 0) + 1
    after = _look(descendants(roots, proc), places, proc)
    share_waiting = waits / samples if samples else 0.0
    return _work(before, after, share_waiting, runnable)


def _work(before: _Look, after: _Look, share_waiting: float, runnable: Mapping[int, int]) -> Work:
    took_s = after.at_s - before.at_s
    cpu_s, wait_s = between(before.times, after.times)
    tick_s = 1 / os.sysconf("SC_CLK_TCK")
    others = list(by_name_s(before.others, after.others).items())[:MOST_NAMED]
    was, now = before.machine, after.machine
    stalled = None
    if was.stalled_us is not None and now.stalled_us is not None:
        stalled = (now.stalled_us - was.stalled_us) * 1e-6
    ticks = grown(was.interrupt_ticks, now.interrupt_ticks)
    return Work(
        took_s,
        cpu_s,
        wait_s,
        share_waiting * took_s,
        max(after.preempted - before.preempted, 0),
        used_s(before.others, after.others),
        dict(others),
        major_faults=sum(grown(before.faults, after.faults).values()),
        stalled_s=stalled,
        dirty_bytes=(was.dirty_bytes + now.dirty_bytes) // 2,
        runnable=runnable,
        interrupts=grown(was.interrupts, now.interrupts),
        interrupt_s={cpu: number * tick_s for cpu, number in ticks.items()},
    )


def _states(pids: Iterable[int], proc: str) -> Iterator[tuple[str, int]]:
    """The state of each thread right now, and the CPU it ran on last (proc_pid_stat, field 39)."""
    looked = 0
    for pid in pids:
        for tid in threads(pid, proc):
            looked += 1
            if looked > MOST_SAMPLED:
                return
            text = read_text(f"{proc}/{pid}/task/{tid}/stat")
            if text is not None:
                words = text[text.rindex(")") + 2 :].split()
                yield words[0], int(words[36])
