"""Locks on files that a server's processes hold, or wait for, from ``/proc/locks``.

SQLite and many programs lock a file while they write. A process that does not get the lock either
waits in the kernel, or sleeps and retries, as SQLite does: then only the lock itself is visible.

Format: proc(5). A line with ``->`` is of a process that waits for the lock above it.
"""

import platform
from collections import Counter, deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from headcount.counters.proc.fine import Look
from headcount.counters.proc.kept_files import files_of
from headcount.counters.proc.process import Process
from headcount.counters.proc.waits import idle_calls

HELD, WAITING = "process.file_locks.held", "process.file_locks.waiting"
_WINDOW = 20
"""Looks (two seconds at ten per second) in which to find the file that is locked most often."""
_LINES_MAX = 2000
"""With more locks on the whole machine, they are not inspected: a file server has one or more per
open file."""


class Locked(NamedTuple):
    """A lock: the process, the file as device and inode, if it only waits, and if for writing.

    `is_whole` is a lock of flock(2), on the whole file.
    """

    pid: int
    file: str
    waits: bool
    writes: bool
    is_whole: bool


class FileLocks:
    """How often a file is locked for writing by a tree of processes, and how many wait for one.

    Files that were never seen without the lock do not count: a daemon locks its PID file for as
    long as it lives. Nor do those of idle processes: of Postfix's idle daemons, one has the right
    to accept the next connection, and the others wait for it. A process is idle while it waits for
    its next work, or, where that cannot be seen, if it keeps the lock instead of passing it on.

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
        self._idle_calls = idle_calls(machine)
        self._lasting: frozenset[str] | None = None
        self._recent: deque[dict[str, int]] = deque(maxlen=_WINDOW)
        """By look: the process that holds each file."""

    def look(self) -> Iterable[Look]:
        """Inspect the locks of the processes now."""
        text = self._files.text(f"{self._proc}/locks")
        if text is None or text.count("\n") > _LINES_MAX:
            return
        own = {one.pid: one for one in self._members() if not one.ended}
        found = [one for one in parse(text) if one.pid in own] if text else []
        written = {one.file: one.pid for one in found if one.writes and not one.waits}
        if self._lasting is None:
            if own:
                self._lasting = frozenset(written)
            return
        self._lasting &= written.keys()
        single = frozenset(pid for pid, one in own.items() if one.threads == 1)
        # Others wait for these in the kernel, or would, as for flock(2).
        queued = {one.file for one in found if one.waits or one.is_whole}
        idle = {file for file in queued & written.keys() if self._is_idle(written[file], single)}
        self._files.turn()
        counted = written.keys() - self._lasting - idle
        self._recent.append({file: written[file] for file in counted})
        left_out = idle | self._kept(queued, single)
        often = Counter(file for files in self._recent for file in files if file not in left_out)
        yield HELD, "mean", max(often.values(), default=0) / len(self._recent)
        yield WAITING, "mean", sum(one.waits and one.file not in left_out for one in found)

    def _is_idle(self, pid: int, single: frozenset[int]) -> bool:
        """Whether it is a process of one thread that waits for its next work."""
        if pid not in single:
            return False
        text = self._files.text(f"{self._proc}/{pid}/syscall") or ""
        return text.partition(" ")[0] in self._idle_calls

    def _kept(self, queued: Iterable[str], single: frozenset[int]) -> frozenset[str]:
        """The files that a process with a single thread has locked in all recent looks.

        Those who wait in the kernel get a lock as soon as it is free, so its holder would change.
        Threads may pass one on within their process.
        """
        holders = {file: {files.get(file) for files in self._recent} for file in queued}
        return frozenset(
            file for file, pids in holders.items() if len(pids) == 1 and pids <= single
        )

    def close(self) -> None:
        """Close the files."""
        self._files.close()


def parse(text: str) -> Iterable[Locked]:
    """Parse ``/proc/locks``; a lock of an open file rather than of a process has no process id."""
    for line in text.splitlines():
        words = line.split()
        waits = len(words) > 1 and words[1] == "->"
        words = words[2:] if waits else words[1:]
        # POSIX  ADVISORY  WRITE 3568 fd:00:2531452 0 EOF
        if len(words) >= 5 and words[3].isdigit():
            pid, file = int(words[3]), words[4]
            yield Locked(pid, file, waits, words[2] == "WRITE", words[0] == "FLOCK")
