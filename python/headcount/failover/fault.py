"""What is done to a server: a fault, what it hits, and the user's own commands."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Protocol

from headcount.errors import TargetError
from headcount.failover import command
from headcount.lab.keeper import descendants
from headcount.lab.node import Network


class Fault(Protocol):
    """Something that is done to a server, and recovered from.

    Attributes:
        text: What is done, for people.
        recovery: What recovers from it; None if nothing does.

    """

    text: str
    recovery: str | None

    def prepare(self) -> None:
        """Find what will be hit, so that `inject`, which follows soon, loses no time on that.

        Raises HeadcountError if there is nothing.
        """
        ...

    def inject(self, ended: Event) -> None:
        """Do it, or as much of it as possible until `ended` is set.

        Raises HeadcountError if it cannot be done.
        """
        ...

    def recover(self) -> None:
        """Undo it, so that it can be done again; raises HeadcountError if that fails."""
        ...


class Unprepared:
    """A fault that needs no preparation."""

    def prepare(self) -> None:
        """Find nothing."""


@dataclass(frozen=True)
class FaultTarget:
    """A server, or one node of several, as faults know it.

    Attributes:
        name: Its name.
        pids: Its first processes now.
        restart: Starts it again after it was killed; None if Headcount cannot.
        network: Its network; None if Headcount did not make it.
        others: First processes of other programs on the same node.
        move: Moves its service to another node, in an orderly way; None if Headcount cannot.
        lines: The processes that carry its traffic to and from other nodes; None if there are
            none.

    """

    name: str
    pids: Callable[[], Sequence[int]]
    restart: Callable[[], None] | None
    network: Network | None = None
    others: Callable[[], Sequence[int]] = tuple
    move: Callable[[], None] | None = None
    lines: Callable[[], Sequence[int]] | None = None

    def roots(self) -> set[int]:
        """Its first processes; raises TargetError if it has none."""
        found = {pid for pid in self.pids() if _lives(pid)}
        if not found:
            raise TargetError(f"{self.name} has no process that a fault could hit")
        return found

    def other_roots(self) -> set[int]:
        """First processes of other programs on its node."""
        return {pid for pid in self.others() if _lives(pid)}


class Command(Unprepared):
    """The user's own commands."""

    def __init__(self, inject: str, recover: str | None) -> None:
        """`recover` is the command to run after each repetition, if any."""
        self.text = inject
        self.recovery = recover

    def inject(self, ended: Event) -> None:
        """Run the command; raises TargetError if it fails, or was ended."""
        command.run(self.text, "--fault", ended=ended)

    def recover(self) -> None:
        """Run the recovery command; raises TargetError if it fails."""
        if self.recovery is not None:
            command.run(self.recovery, "--recover")


def with_descendants(roots: Iterable[int]) -> set[int]:
    """Processes and all of their descendants."""
    first = set(roots)
    return first | descendants(*first)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's process: the fault itself reports that
        return True
    return True
