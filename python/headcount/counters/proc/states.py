"""States of the threads of a tree at a moment: running, ready, blocked or stopped.

Format: proc(5), the state in ``/proc/PID/stat``.
"""

from collections.abc import Callable, Iterable, Sequence

from headcount.counters.proc.fine import Look
from headcount.counters.proc.kept_files import files_of
from headcount.counters.proc.process import Process

_RUNNABLE, _BLOCKED = "R", "D"
_STOPPED = ("T", "t")
"""By a signal; by a debugger."""


class ThreadStates:
    """States of all threads of a tree of processes.

    Args:
        proc: Where procfs is mounted.
        members: Returns the tree's processes as they were last read.

    """

    def __init__(self, proc: str, members: Callable[[], Iterable[Process]]) -> None:
        """Look at nothing yet."""
        self._proc = proc
        self._members = members
        self._files = files_of(proc)

    def look(self) -> Iterable[Look]:
        """Count the threads that are runnable, in uninterruptible sleep, and stopped."""
        states = [
            state
            for one in self._members()
            if not one.ended
            for path in _paths(self._proc, one)
            if (state := _state(self._files.text(path))) is not None
        ]
        self._files.turn()
        return counted(states)

    def close(self) -> None:
        """Close the files."""
        self._files.close()


def counted(states: Sequence[str]) -> Iterable[Look]:
    """The number of threads in each of these states; empty without threads."""
    if not states:
        return ()
    blocked = states.count(_BLOCKED)
    return (
        ("process.threads.runnable", "mean", states.count(_RUNNABLE)),
        ("process.threads.blocked", "mean", blocked),
        ("process.threads.blocked.occupied", "share", blocked),
        ("process.threads.stopped", "mean", sum(states.count(one) for one in _STOPPED)),
    )


def _paths(proc: str, one: Process) -> list[str]:
    """The files with the states of a process's threads; only of its first one if there are many."""
    folder = f"{proc}/{one.pid}"
    if one.threads == 1 or not one.thread_times:
        return [f"{folder}/stat"]
    return [f"{folder}/task/{thread}/stat" for thread in one.thread_times]


def _state(text: str | None) -> str | None:
    """The letter behind the program's name in brackets, which may itself hold brackets."""
    rest = text.rpartition(") ")[2] if text is not None else ""
    return rest[:1] or None
