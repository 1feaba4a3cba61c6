"""What is done to a server: faults of Headcount's own, by name, and commands."""

import os
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Event
from typing import Protocol

from headcount.errors import InputError, TargetError
from headcount.failover import command
from headcount.lab.keeper import descendants


class Fault(Protocol):
    """Something that is done to a server, and undone.

    Attributes:
        text: What is done, for people.
        undo_text: What undoes it; None where nothing does.

    """

    text: str
    undo_text: str | None

    def strike(self, ended: Event) -> None:
        """Do it, or as much of it as is done when `ended` is set.

        Raises HeadcountError where it cannot be done.
        """
        ...

    def undo(self) -> None:
        """Undo it, so that it can be done again; raises HeadcountError where it cannot be."""
        ...


@dataclass(frozen=True)
class Victim:
    """A server, or one node of several, as faults know it.

    Attributes:
        name: Its name.
        pids: Its first processes now.
        restart: Starts it again after it was killed; None where nobody here can.

    """

    name: str
    pids: Callable[[], Sequence[int]]
    restart: Callable[[], None] | None

    def processes(self) -> set[int]:
        """All of its processes now; raises TargetError where it has none."""
        roots = [pid for pid in self.pids() if _lives(pid)]
        if not roots:
            raise TargetError(f"{self.name} has no process that a fault could strike")
        return set(roots).union(*map(descendants, roots))


class Command:
    """Commands of somebody's own."""

    def __init__(self, strike: str, undo: str | None) -> None:
        """`undo` is what is run after each repetition, if anything."""
        self.text = strike
        self.undo_text = undo

    def strike(self, ended: Event) -> None:
        """Run the command; raises TargetError where it fails, or was ended."""
        command.run(self.text, "--fault", ended=ended)

    def undo(self) -> None:
        """Run the other; raises TargetError where it fails."""
        if self.undo_text is not None:
            command.run(self.undo_text, "--recover")


class Kill:
    """All processes of a server end at once, without a word to anybody."""

    about = "all of its processes end at once (SIGKILL)"

    def __init__(self, victim: Victim, undo: str | None) -> None:
        """`undo` is a command that starts it again, where a lab does not."""
        if undo is None and victim.restart is None:
            raise InputError(
                "--fault kill: nobody here can start the server again; give the command that does: "
                '--recover "systemctl restart nginx"'
            )
        self._victim = victim
        self._command = undo
        self.text = f"kill {victim.name} (SIGKILL)"
        self.undo_text: str | None = undo or f"start {victim.name} again"

    def strike(self, ended: Event) -> None:
        """Kill it."""
        del ended  # it takes no time
        _send(self._victim.processes(), signal.SIGKILL)

    def undo(self) -> None:
        """Start it again."""
        if self._command is not None:
            command.run(self._command, "--recover")
        elif self._victim.restart is not None:
            self._victim.restart()


class Stop:
    """All processes of a server stand still: connections stay, and nobody answers."""

    about = "all of its processes stand still (SIGSTOP)"

    def __init__(self, victim: Victim, undo: str | None) -> None:
        """`undo` is a command to run after they go on."""
        self._victim = victim
        self._command = undo
        self._stopped: set[int] = set()
        self.text = f"stop {victim.name} (SIGSTOP)"
        self.undo_text: str | None = f"let {victim.name} go on (SIGCONT)"
        if undo is not None:
            self.undo_text += f", then {undo}"

    def strike(self, ended: Event) -> None:
        """Stop it."""
        del ended  # it takes no time
        self._stopped = self._victim.processes()
        _send(self._stopped, signal.SIGSTOP)

    def undo(self) -> None:
        """Let it go on."""
        _send(self._stopped, signal.SIGCONT)
        self._stopped = set()
        if self._command is not None:
            command.run(self._command, "--recover")


class Kind(Protocol):
    """A fault of Headcount's own."""

    about: str

    def __call__(self, victim: Victim, undo: str | None) -> Fault:
        """The fault of a server; raises InputError where it cannot be undone."""
        ...


KINDS: Mapping[str, Kind] = {"kill": Kill, "stop": Stop}
"""Faults by name; whatever else is given is a command."""


def fault_of(given: str, undo: str | None, victim: Victim | None) -> Fault:
    """The fault that somebody asks for; raises InputError where it cannot be had here."""
    kind = KINDS.get(given)
    if kind is None:
        return Command(given, undo)
    if victim is None:
        raise InputError(
            f"--fault {given} strikes processes of this machine, and the server's are not known "
            "here: name them with --pid or --unit, or give a command: "
            '--fault "ssh node1 systemctl kill -s KILL nginx"'
        )
    return kind(victim, undo)


def _lives(pid: int) -> bool:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, 0)
        return True
    return False


def _send(pids: Iterable[int], name: signal.Signals) -> None:
    """Send a signal to processes; those that have ended meanwhile are passed over."""
    for pid in pids:
        try:
            os.kill(pid, name)
        except ProcessLookupError:
            continue
        except PermissionError as error:
            raise TargetError(
                f"process {pid} of the server belongs to somebody else: run this as root, or as "
                "the user of the server"
            ) from error
