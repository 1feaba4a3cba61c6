"""Locks on files that a server's processes hold, or wait for, from ``/proc/locks``.

SQLite and many programs lock a file while they write. A process that does not get the lock either
waits in the kernel, or sleeps and retries, as SQLite does: then only the lock itself is visible.

Format: proc(5). A line with ``->`` is of a process that waits for the lock above it.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from headcount.counters.proc.fine import Look
from headcount.counters.proc.kept_files import files_of
from headcount.counters.proc.process import Process

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
    long as it lives. Nor do those that one process keeps locked instead of passing the lock on: of
    Postfix's idle daemons, one has the right to accept the next connection, and the others wait.

    Args:
        proc: Where procfs is mounted.
        members: Returns the tree's processes as they were last read.

    """

    def __init__(self, proc: str, members: Callable[[], Iterable[Process]]) -> None:
        """Look at nothing yet."""
        self._proc = proc
        self._members = members
        self._files = files_of(proc)
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
        self._recent.append({file: written[file] for file in written.keys() - self._lasting})
        kept = self._kept(found, frozenset(pid for pid, one in own.items() if one.threads == 1))
        often = Counter(file for files in self._recent for file in files if file not in kept)
        yield HELD, "mean", max(often.values(), default=0) / len(self._recent)
        yield WAITING, "mean", sum(one.waits and one.file not in kept for one in found)

    def _kept(self, found: Sequence[Locked], single: frozenset[int]) -> frozenset[str]:
        """The files that a process with a single thread has locked in all recent looks.

        Only where others wait in the kernel, or would, as for flock(2): they get a lock as soon as
        it is free, so its holder would change. Threads may pass one on within their process.
        """
        passed_on = {one.file for one in found if one.waits or one.is_whole}
        holders = {file: {files.get(file) for files in self._recent} for file in passed_on}
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
