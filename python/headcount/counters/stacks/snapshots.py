"""Snapshots of the stacks of all threads of a server, added up until they are taken."""

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from headcount.counters.proc.files import read_text
from headcount.counters.proc.fine import Look
from headcount.counters.proc.process import Process
from headcount.counters.stacks.calls import FUTEX, Call, calls
from headcount.counters.stacks.objects import Objects
from headcount.counters.stacks.thread import RUNNING, Reading, read_thread

THREADS_MAX = 256
"""Most threads of a snapshot. With more, every second (third, ...) is read, others each time, and
counts twice (three times, ...): the sums stay those of all. Our choice: as for what threads wait
for."""
RUNNING_STATE, SLEEPING_STATE, BLOCKED_STATE = "running", "sleeping", "blocked"
STATES = {RUNNING: RUNNING_STATE, "S": SLEEPING_STATE, "D": BLOCKED_STATE}
"""The frame of each state."""
_SHARED_LEAST = 2
"""Threads at one futex from which it counts as shared, and not as a thread's own."""


@dataclass(slots=True)
class Taken:
    """What was seen since the last time.

    Attributes:
        snapshots: How many snapshots the counts are the sum of.
        on: Stacks of threads on a CPU or ready for one.
        off: Stacks of threads that wait.
        missing: What is not readable, and for whom it is, in a sentence; None if nothing is.

    """

    snapshots: int = 0
    on: Counter[tuple[str, ...]] = field(default_factory=Counter)
    off: Counter[tuple[str, ...]] = field(default_factory=Counter)
    missing: str | None = None


class ThreadStacks:
    """A gauge without figures: each look adds a snapshot while it is recording.

    A stack is the process, the thread, its state, the frames of the kernel, and the call with its
    object: ``nginx;nginx;sleeping;do_epoll_wait_[k];epoll_wait``.

    Args:
        proc: Where procfs is mounted.
        members: Returns the server's processes as they were last read.
        table: System calls by number.

    """

    def __init__(
        self,
        proc: str,
        members: Callable[[], Iterable[Process]],
        table: Mapping[int, Call] | None = None,
    ) -> None:
        """Look at nothing yet."""
        self._proc = proc
        self._members = members
        self._table = calls() if table is None else table
        self._objects = Objects(proc)
        self._taken = Taken()
        self._lock = threading.Lock()
        self._turn = 0
        self._may_stack = True
        self._is_recording = False

    def begin(self) -> None:
        """Take snapshots from now on."""
        with self._lock:
            self._taken = Taken(missing=self._taken.missing)
            self._is_recording = True

    def look(self) -> Iterable[Look]:
        """Add a snapshot."""
        if not self._is_recording:
            return ()
        threads = [(pid, thread) for pid in self._pids() for thread in self._threads(pid)]
        if not threads:
            return ()
        step = -(-len(threads) // THREADS_MAX)
        self._turn += 1
        chosen = threads[self._turn % step :: step]
        readings = [
            one
            for pid, thread in chosen
            if (
                one := read_thread(self._proc, pid, thread, self._table, with_stack=self._may_stack)
            )
        ]
        self._check_rights(readings)
        stacks = self._stacks(readings)
        self._add(readings, stacks, step)
        return ()

    def _add(
        self, readings: Sequence[Reading], stacks: Sequence[tuple[str, ...]], times: int
    ) -> None:
        """Count a snapshot, unless recording ended meanwhile."""
        with self._lock:
            if self._is_recording:
                self._taken.snapshots += 1
                for one, stack in zip(readings, stacks, strict=True):
                    kind = self._taken.on if one.state == RUNNING else self._taken.off
                    kind[stack] += times

    def take(self) -> Taken:
        """What was seen since the last time, and stop recording."""
        with self._lock:
            self._is_recording = False
            taken, self._taken = self._taken, Taken(missing=self._taken.missing)
        return taken

    def close(self) -> None:
        """Close the tables of sockets."""
        self._objects.close()

    def _pids(self) -> list[int]:
        return [one.pid for one in self._members() if not one.ended]

    def _threads(self, pid: int) -> list[int]:
        try:
            return [int(name) for name in os.listdir(f"{self._proc}/{pid}/task")]  # noqa: PTH208
        except OSError:
            return []

    def _check_rights(self, readings: list[Reading]) -> None:
        """Find out what is unreadable; unreadable kernel frames are not tried again."""
        if not readings or self._taken.missing is not None:
            return
        folder = f"{self._proc}/{readings[0].pid}"
        if not Path(folder).exists():
            return
        if read_text(f"{folder}/syscall") is None:
            missing = "system calls and kernel frames of the server's threads: run as root"
        elif self._may_stack and read_text(f"{folder}/stack") is None:
            missing = "kernel frames of the server's threads, which only root may read"
        else:
            return
        self._may_stack = False
        self._taken.missing = missing

    def _stacks(self, readings: list[Reading]) -> list[tuple[str, ...]]:
        names = {pid: self._process_name(pid) for pid in {one.pid for one in readings}}
        links = {
            (one.pid, one.first): self._objects.link(one.pid, one.first)
            for one in readings
            if one.has_descriptor
        }
        if readings:
            self._objects.renew(readings[0].pid, [link for link in links.values() if link])
        shared = Counter((one.pid, one.first) for one in readings if one.call == FUTEX)
        return [
            (
                names[one.pid],
                one.name,
                STATES[one.state],
                *one.frames,
                *self._leaf(one, links, shared),
            )
            for one in readings
        ]

    def _leaf(
        self,
        one: Reading,
        links: Mapping[tuple[int, int], str | None],
        shared: Mapping[tuple[int, int], int],
    ) -> tuple[str, ...]:
        """The call, with the object that it is on in brackets."""
        if one.call is None:
            return ()
        key = (one.pid, one.first)
        if one.call == FUTEX and shared[key] >= _SHARED_LEAST:
            return (f"{one.call}({one.first:#x})",)
        link = links.get(key) if one.has_descriptor else None
        name = self._objects.name(link, one.first) if link is not None else None
        return (f"{one.call}({name})",) if name is not None else (one.call,)

    def _process_name(self, pid: int) -> str:
        return (read_text(f"{self._proc}/{pid}/comm") or "").strip() or str(pid)
