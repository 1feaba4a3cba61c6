"""Faults that hit the processes of a server."""

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from threading import Event

from headcount.errors import InputError, TargetError
from headcount.failover import command
from headcount.failover.fault import FaultTarget, with_descendants


class Kill:
    """All processes of a server end at once, without notice."""

    def __init__(self, target: FaultTarget, recover: str | None) -> None:
        """`recover` is a command that starts it again, if no lab does."""
        if recover is None and target.restart is None:
            raise InputError(
                "--fault kill: Headcount cannot start the server again; give a command that does: "
                '--recover "systemctl restart nginx"'
            )
        self._fault_target = target
        self._command = recover
        self._roots: set[int] = set()
        self.text = f"kill {target.name} (SIGKILL)"
        self.recovery: str | None = recover or f"start {target.name} again"

    def prepare(self) -> None:
        """Find its first processes."""
        self._roots = self._fault_target.roots()

    def inject(self, ended: Event) -> None:
        """Kill it."""
        del ended  # it takes no time
        kill_with_descendants(self._roots)

    def recover(self) -> None:
        """Start it again."""
        if self._command is not None:
            command.run(self._command, "--recover")
        elif self._fault_target.restart is not None:
            self._fault_target.restart()


class Stop:
    """All processes of a server stop: connections stay open, and nobody answers."""

    def __init__(self, target: FaultTarget, recover: str | None) -> None:
        """`recover` is a command to run after they continue."""
        self._fault_target = target
        self._command = recover
        self._roots: set[int] = set()
        self._stopped: set[int] = set()
        self.text = f"stop {target.name} (SIGSTOP)"
        self.recovery: str | None = f"resume {target.name} (SIGCONT)"
        if recover is not None:
            self.recovery += f", then {recover}"

    def prepare(self) -> None:
        """Find its first processes."""
        self._roots = self._fault_target.roots()

    def inject(self, ended: Event) -> None:
        """Stop it."""
        del ended  # it takes no time
        self._stopped = set()
        # They may start others until they stand still.
        while new := with_descendants(self._roots) - self._stopped:
            self._stopped |= new
            send(new, signal.SIGSTOP)

    def recover(self) -> None:
        """Let it continue."""
        send(self._stopped, signal.SIGCONT)
        self._stopped = set()
        if self._command is not None:
            command.run(self._command, "--recover")


def kill_with_descendants(roots: Iterable[int]) -> None:
    """Kill processes and all of their descendants.

    The first stand still meanwhile: they may start others, which nobody would find without them.
    Raises TargetError for another user's processes.
    """
    first = set(roots)
    try:
        send(first, signal.SIGSTOP)
        send(with_descendants(first), signal.SIGKILL)
    except TargetError:
        for pid in first:
            with suppress(OSError):
                os.kill(pid, signal.SIGCONT)
        raise


def send(pids: Iterable[int], name: signal.Signals) -> None:
    """Send a signal to processes; those that have ended meanwhile are skipped.

    Raises TargetError for another user's processes.
    """
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
