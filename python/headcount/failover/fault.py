"""What is done to a server: faults of Headcount's own, by name, and commands."""

import os
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Protocol

from headcount.errors import InputError, TargetError
from headcount.failover import command
from headcount.lab.keeper import descendants


class Fault(Protocol):
    """Something that is done to a server, and recovered from.

    Attributes:
        text: What is done, for people.
        recovery: What recovers from it; None where nothing does.

    """

    text: str
    recovery: str | None

    def inject(self, ended: Event) -> None:
        """Do it, or as much of it as is done when `ended` is set.

        Raises HeadcountError where it cannot be done.
        """
        ...

    def recover(self) -> None:
        """Undo it, so that it can be done again; raises HeadcountError where it cannot be."""
        ...


@dataclass(frozen=True)
class FaultTarget:
    """A server, or one node of several, as faults know it.

    Attributes:
        name: Its name.
        pids: Its first processes now.
        restart: Starts it again after it was killed; None where nobody here can.
        lines: The processes that carry what goes between it and other nodes; None where there are
            none.

    """

    name: str
    pids: Callable[[], Sequence[int]]
    restart: Callable[[], None] | None
    lines: Callable[[], Sequence[int]] | None = None

    def processes(self) -> set[int]:
        """All of its processes now; raises TargetError where it has none."""
        roots = [pid for pid in self.pids() if _lives(pid)]
        if not roots:
            raise TargetError(f"{self.name} has no process that a fault could hit")
        return set(roots).union(*map(descendants, roots))


class Command:
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


class Kill:
    """All processes of a server end at once, without a word to anybody."""

    def __init__(self, target: FaultTarget, recover: str | None) -> None:
        """`recover` is a command that starts it again, where a lab does not."""
        if recover is None and target.restart is None:
            raise InputError(
                "--fault kill: nobody here can start the server again; give the command that does: "
                '--recover "systemctl restart nginx"'
            )
        self._fault_target = target
        self._command = recover
        self.text = f"kill {target.name} (SIGKILL)"
        self.recovery: str | None = recover or f"start {target.name} again"

    def inject(self, ended: Event) -> None:
        """Kill it."""
        del ended  # it takes no time
        _send(self._fault_target.processes(), signal.SIGKILL)

    def recover(self) -> None:
        """Start it again."""
        if self._command is not None:
            command.run(self._command, "--recover")
        elif self._fault_target.restart is not None:
            self._fault_target.restart()


class Stop:
    """All processes of a server stand still: connections stay, and nobody answers."""

    def __init__(self, target: FaultTarget, recover: str | None) -> None:
        """`recover` is a command to run after they go on."""
        self._fault_target = target
        self._command = recover
        self._stopped: set[int] = set()
        self.text = f"stop {target.name} (SIGSTOP)"
        self.recovery: str | None = f"let {target.name} go on (SIGCONT)"
        if recover is not None:
            self.recovery += f", then {recover}"

    def inject(self, ended: Event) -> None:
        """Stop it."""
        del ended  # it takes no time
        self._stopped = self._fault_target.processes()
        _send(self._stopped, signal.SIGSTOP)

    def recover(self) -> None:
        """Let it go on."""
        _send(self._stopped, signal.SIGCONT)
        self._stopped = set()
        if self._command is not None:
            command.run(self._command, "--recover")


class Isolate:
    """Nothing passes between a node and the others any more; users still reach it."""

    def __init__(self, target: FaultTarget, recover: str | None) -> None:
        """`recover` is a command to run after they reach each other again."""
        if target.lines is None:
            raise InputError(
                f"--fault isolate: nothing is known of what {target.name} says to other nodes; "
                'give a command that cuts it off: --fault "ssh node1 iptables ..." --recover ...'
            )
        self._lines = target.lines
        self._command = recover
        self._cut: list[int] = []
        self.text = f"cut {target.name} off from the others, not from users"
        self.recovery: str | None = "mend the lines between the nodes"
        if recover is not None:
            self.recovery += f", then {recover}"

    def inject(self, ended: Event) -> None:
        """Cut it off."""
        del ended  # it takes no time
        self._cut = list(self._lines())
        _send(self._cut, signal.SIGSTOP)

    def recover(self) -> None:
        """Mend the lines."""
        _send(self._cut, signal.SIGCONT)
        self._cut = []
        if self._command is not None:
            command.run(self._command, "--recover")


class Kind(Protocol):
    """A fault of Headcount's own."""

    def __call__(self, target: FaultTarget, recover: str | None) -> Fault:
        """The fault of a server; raises InputError where it cannot be recovered from."""
        ...


KINDS: Mapping[str, Kind] = {"kill": Kill, "stop": Stop, "isolate": Isolate}
"""Faults by name; whatever else is given is a command."""


def fault_of(given: str, recover: str | None, target: FaultTarget | None) -> Fault:
    """The fault that somebody asks for; raises InputError where it cannot be had here."""
    kind = KINDS.get(given)
    if kind is None:
        return Command(given, recover)
    if target is None:
        raise InputError(
            f"--fault {given} hits processes of this machine, and the server's are not known "
            "here: name them with --pid or --unit, or give a command: "
            '--fault "ssh node1 systemctl kill -s KILL nginx"'
        )
    return kind(target, recover)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is somebody else's, which the fault itself says
        return True
    return True


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
