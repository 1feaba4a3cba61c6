"""A thread that takes snapshots of a server's stacks while a level is measured."""

from collections.abc import Callable, Iterable

from headcount.counters.proc.fine import FineSampler
from headcount.counters.proc.process import Process
from headcount.counters.stacks.snapshots import Taken, ThreadStacks

DUTY = 0.01
"""Share of one core that snapshots may cost: with many threads they are taken less often than ten
times a second. Our choice: half of what all other fast samples may cost."""


class StackSampler:
    """Takes snapshots between `begin` and `end`; its thread starts with the first `begin`.

    Args:
        members: Returns the server's processes as they were last read.
        proc: Where procfs is mounted.

    """

    def __init__(self, members: Callable[[], Iterable[Process]], proc: str = "/proc") -> None:
        """Start nothing yet."""
        self._stacks = ThreadStacks(proc, members)
        self._fine = FineSampler(lambda: [self._stacks], duty=DUTY)

    def begin(self) -> None:
        """Take snapshots from now on."""
        self._stacks.begin()
        self._fine.take()
        self._fine.cost_s()

    def end(self) -> tuple[Taken, float]:
        """What was seen since `begin`, and its cost in seconds of CPU time."""
        taken = self._stacks.take()
        self._fine.take()
        return taken, self._fine.cost_s()

    def close(self) -> None:
        """End the thread."""
        self._fine.close()
