"""What a server's threads did in a while: used a CPU, waited for one, waited for a disk.

CPU time and waiting for a CPU are the kernel's own figures (`/proc/PID/task/TID/schedstat`, in
nanoseconds: proc_pid_schedstat). Waiting for a disk is sampled: a thread in state D waits.
"""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from headcount.counters.proc.files import read_text
from headcount.counters.proc.process import ThreadTimes, parse_schedstat, parse_stat

SAMPLE_S = 0.05
"""How often states of threads are looked at."""
MOST_SAMPLED = 256
"""Threads whose states are looked at: more would cost more than they tell."""
_NS = 1e9


@dataclass(frozen=True, slots=True)
class Work:
    """What was done in a while, in seconds summed over threads.

    Attributes:
        length_s: How long it was.
        cpu_s: CPU time.
        wait_s: Ready to run, and without a CPU.
        disk_s: Waiting for a disk.
        preempted: How often the CPU was taken from a thread that had more to do.
        others_s: CPU time of all other programs.
        others: The programs that used most of that, the largest first.

    """

    length_s: float
    cpu_s: float
    wait_s: float
    disk_s: float
    preempted: int = 0
    others_s: float = 0.0
    others: Mapping[str, float] = field(default_factory=dict)

    def share(self, part_s: float) -> float:
        """Such a part of the time that its work took; 0 where it did nothing."""
        total_s = self.cpu_s + self.wait_s + self.disk_s
        return part_s / total_s if total_s else 0.0

    @property
    def stretch(self) -> float | None:
        """How long a second of work took, in seconds; 1 on a machine of its own.

        None where hardly anything was done: a ratio of nothing says nothing.
        """
        if self.cpu_s < LEAST_CPU * self.length_s:
            return None
        return (self.cpu_s + self.wait_s + self.disk_s) / self.cpu_s


LEAST_CPU = 0.02
"""Of one CPU: a server that uses less is idle."""


def lives(pid: int, proc: str = "/proc") -> bool:
    """Whether a process runs; one that has ended and is not collected yet does not."""
    found = parse_stat(read_text(f"{proc}/{pid}/stat") or "")
    return found is not None and not found.ended


def descendants(roots: Iterable[int], proc: str = "/proc") -> list[int]:
    """Some processes that run, with all that came of them."""
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

    A thread that is new began after the first reading. What one did that has ended is not known.
    """
    cpu = wait = 0
    for tid, now in after.items():
        was = before.get(tid, ThreadTimes(0, 0, 0))
        cpu += max(now.run_ns - was.run_ns, 0)
        wait += max(now.wait_ns - was.wait_ns, 0)
    return cpu / _NS, wait / _NS


def programs(without: Iterable[int], proc: str = "/proc") -> dict[str, int]:
    """CPU time in clock ticks that programs have used so far, by name, without some processes."""
    left_out = set(without)
    found: dict[str, int] = {}
    for name in os.listdir(proc):  # noqa: PTH208 - hot path
        if not name.isdecimal() or int(name) in left_out:
            continue
        text = read_text(f"{proc}/{name}/stat")
        if text is None:
            continue
        words = text[text.rindex(")") + 2 :].split()
        program = text[text.index("(") + 1 : text.rindex(")")]
        found[program] = found.get(program, 0) + int(words[11]) + int(words[12])
    return found


def watch(
    roots: Sequence[int],
    length_s: float,
    stop: Callable[[float], bool],
    proc: str = "/proc",
) -> Work | None:
    """Watch a server for a while; None if `stop` ends it. `roots` are its first processes.

    `stop` waits for some seconds, and says whether to end.
    """
    pids = descendants(roots, proc)
    own, taken = os.getpid(), preemptions(pids, proc)
    before, others = times(pids, proc), programs([*pids, own], proc)
    began_s = time.monotonic()
    states = waits = 0
    while (left_s := began_s + length_s - time.monotonic()) > 0:
        if stop(min(SAMPLE_S, left_s)):
            return None
        states += 1
        waits += _waiting(pids, proc)
    took_s = time.monotonic() - began_s
    pids = descendants(roots, proc)
    cpu_s, wait_s = between(before, times(pids, proc))
    tick_s = 1 / os.sysconf("SC_CLK_TCK")
    used = {
        name: (ticks - others[name]) * tick_s
        for name, ticks in programs([*pids, own], proc).items()
        if name in others and ticks > others[name]
    }
    most = sorted(used, key=lambda name: -used[name])[:3]
    return Work(
        took_s,
        cpu_s,
        wait_s,
        waits / states * took_s if states else 0.0,
        max(preemptions(pids, proc) - taken, 0),
        sum(used.values()),
        {name: used[name] for name in most},
    )


def _waiting(pids: Iterable[int], proc: str) -> int:
    """How many threads wait for a disk right now."""
    found = looked = 0
    for pid in pids:
        for tid in threads(pid, proc):
            looked += 1
            if looked > MOST_SAMPLED:
                return found
            text = read_text(f"{proc}/{pid}/task/{tid}/stat")
            if text is not None and text[text.rindex(")") + 2] == "D":
                found += 1
    return found
