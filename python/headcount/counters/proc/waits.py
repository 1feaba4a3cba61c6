"""What the threads of a tree wait for, by the system call of each.

A thread that waits for a lock of its own process is in futex(2), a worker without work in
accept(2), one that reads a reply in recvfrom(2). Only root and the processes' own user may look.

Format: proc(5), ``/proc/PID/task/TID/syscall``: the number and arguments of the call, or
``running``. Numbers: the kernel's ``unistd_64.h`` of x86-64, and the generic table of arm64.
"""

import platform
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from headcount.counters.proc.fine import Look
from headcount.counters.proc.kept_files import files_of
from headcount.counters.proc.process import Process

FAMILY = "process.threads.waiting"
THREADS_MAX = 256
"""With more threads in all processes none is read: it would take too long for the readings to be
simultaneous."""

_X86_64: Mapping[str, tuple[int, ...]] = {
    "lock": (202, 73, 65, 220),
    "events": (232, 281, 441, 7, 271, 23, 270, 208, 426),
    "accept": (43, 288),
    "receive": (45, 47, 0, 19),
    "send": (44, 46, 1, 20, 18, 42),
    "sleep": (35, 230),
    "sync": (74, 75, 26, 277),
    "child": (61, 247),
}
_ARM64: Mapping[str, tuple[int, ...]] = {
    "lock": (98, 32, 193, 192),
    "events": (22, 441, 73, 72, 4, 426),
    "accept": (202, 242),
    "receive": (207, 212, 63, 65),
    "send": (206, 211, 64, 66, 68, 203),
    "sleep": (101, 115),
    "sync": (82, 83, 227, 84),
    "child": (260, 95),
}
_EPOLL: Mapping[str, tuple[int, ...]] = {"x86_64": (232, 281, 441), "aarch64": (22, 441)}
KINDS: Mapping[str, str] = {
    "lock": "a lock",
    "events": "events on its connections",
    "accept": "a new connection",
    "receive": "data",
    "send": "a peer, pipe or file that takes its data",
    "sleep": "the end of a sleep",
    "sync": "data to reach the disk",
    "child": "a child process",
}
"""What each kind of call waits for, in words."""
_TABLES = {"x86_64": _X86_64, "aarch64": _ARM64}


class ThreadWaits:
    """Counts the threads of a tree of processes that wait in each kind of system call.

    Args:
        proc: Where procfs is mounted.
        members: Returns the tree's processes as they were last read.
        machine: The processor, as uname(2) has it.

    """

    def __init__(
        self,
        proc: str,
        members: Callable[[], Iterable[Process]],
        machine: str = platform.machine(),
    ) -> None:
        """Look at nothing yet."""
        self._proc = proc
        self._members = members
        self._files = files_of(proc)
        self._kinds = kinds_of(machine)

    def look(self) -> Iterable[Look]:
        """Count the threads in each kind; nothing if they may not be inspected."""
        paths = [path for one in self._members() if not one.ended for path in self._paths(one)]
        if not self._kinds or not 0 < len(paths) <= THREADS_MAX:
            return []
        texts = [text for path in paths if (text := self._files.text(path)) is not None]
        self._files.turn()
        if not texts:
            return []
        return counted(texts, self._kinds)

    def close(self) -> None:
        """Close the files."""
        self._files.close()

    def _paths(self, one: Process) -> list[str]:
        threads = one.thread_times or (one.pid,)
        return [f"{self._proc}/{one.pid}/task/{thread}/syscall" for thread in threads]


def counted(texts: Iterable[str], kinds: Mapping[str, str]) -> list[Look]:
    """Number of threads that wait in each kind of call, by the kernel's line for each thread."""
    found = Counter(kinds.get(text.partition(" ")[0]) for text in texts)
    return [(f"{FAMILY}{{wait={kind}}}", "mean", found[kind]) for kind in KINDS]


def kinds_of(machine: str) -> dict[str, str]:
    """The kind of each system call by its number as text; empty for an unknown processor."""
    table = _TABLES.get(machine, {})
    return {str(number): kind for kind, numbers in table.items() for number in numbers}


def idle_calls(machine: str) -> frozenset[str]:
    """The calls in which a process waits for its next work: accept(2) and epoll(7), as text.

    Not poll(2): clients of databases wait in it for an answer.
    """
    numbers = (*_TABLES.get(machine, {}).get("accept", ()), *_EPOLL.get(machine, ()))
    return frozenset(map(str, numbers))
