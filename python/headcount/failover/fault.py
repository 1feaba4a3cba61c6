"""What is done to a server: a fault, what it hits, and commands of somebody's own."""

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
        recovery: What recovers from it; None where nothing does.

    """

    text: str
    recovery: str | None

    def prepare(self) -> None:
        """Find what will be hit, shortly before `inject`, which then takes no time for that.

        Raises HeadcountError where there is nothing.
        """
        ...

    def inject(self, ended: Event) -> None:
        """Do it, or as much of it as is done when `ended` is set.

        Raises HeadcountError where it cannot be done.
        """
        ...

    def recover(self) -> None:
        """Undo it, so that it can be done again; raises HeadcountError where it cannot be."""
        ...


class Unprepared:
    """A fault for which nothing has to be found."""

    def prepare(self) -> None:
        """Find nothing."""


@dataclass(frozen=True)
class FaultTarget:
    """A server, or one node of several, as faults know it.

    Attributes:
        name: Its name.
        pids: Its first processes now.
        restart: Starts it again after it was killed; None where nobody here can.
        network: Its network; None where it is not one that Headcount made.
        others: First processes beside those that run on the same node.
        move: Moves its service to another node, in an orderly way; None where nobody here can.
        lines: The processes that carry what goes between it and other nodes; None where there are
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
        """Its first processes; raises TargetError where it has none."""
        found = {pid for pid in self.pids() if _lives(pid)}
        if not found:
            raise TargetError(f"{self.name} has no process that a fault could hit")
        return found

    def other_roots(self) -> set[int]:
        """First processes that run on its node beside those."""
        return {pid for pid in self.others() if _lives(pid)}


class Command(Unprepared):
    """Commands of somebody's own."""

    def __init__(self, inject: str, recover: str | None) -> None:
        """`recover` is what is run after each repetition, if anything."""
        self.text = inject
        self.recovery = recover

    def inject(self, ended: Event) -> None:
        """Run the command; raises TargetError where it fails, or was ended."""
        command.run(self.text, "--fault", ended=ended)

    def recover(self) -> None:
        """Run the other; raises TargetError where it fails."""
        if self.recovery is not None:
            command.run(self.recovery, "--recover")


def with_descendants(roots: Iterable[int]) -> set[int]:
    """Processes and all that came of them."""
    first = set(roots)
    return first | descendants(*first)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is somebody else's, which the fault itself says
        return True
    return True
