"""How a server is restarted, for settings that a reload does not apply."""

import posixpath
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from headcount.errors import HeadcountError, InputError, TargetError
from headcount.tune.host import Host
from headcount.tune.servers.registry import find
from headcount.tune.servers.server import Running

RESTART_S = 120.0
"""Longest wait for the command: a database writes down what it has in memory first."""

UP_S = 20.0
"""Longest wait for a server to listen after its command: some return before that."""


class Restart(Protocol):
    """Restarts one server."""

    @property
    def command(self) -> Sequence[str] | None:
        """What restarts it, even after the tuning's end; None for a server that ends with it."""
        ...

    def again(self) -> Running:
        """Restart it; returns its first process. Raises TargetError where it does not come up."""
        ...


@dataclass(frozen=True)
class OfLab:
    """The restart of a lab server, which ends with the tuning.

    Attributes:
        host: Where it is.
        restart: What restarts it.
        pids: The processes at the root of its tree.

    """

    host: Host
    restart: Callable[[], None]
    pids: Callable[[], Sequence[int]]

    @property
    def command(self) -> None:
        """None is needed."""
        return None

    def again(self) -> Running:
        """Restart it."""
        try:
            self.restart()
        except HeadcountError as error:
            raise TargetError(str(error)) from error
        return find(self.host, self.pids()).running


@dataclass(frozen=True)
class ByCommand:
    """The restart of somebody's server by a command.

    Attributes:
        host: Where it is.
        command: The command.
        pids: Finds the server's processes again.

    """

    host: Host
    command: Sequence[str]
    pids: Callable[[], Sequence[int]]

    def again(self) -> Running:
        """Restart it."""
        ended = self.host.run(self.command, RESTART_S)
        if ended.code != 0:
            why = ended.output.strip() or f"exit code {ended.code}"
            raise TargetError(f"`{shlex.join(self.command)}` failed: {why}")
        end_s = time.monotonic() + UP_S
        while True:
            try:
                return find(self.host, self.pids()).running
            except InputError as error:
                if time.monotonic() > end_s:
                    raise TargetError(f"it has not come up: {error}") from error
            time.sleep(0.2)


def unit_of(host: Host, pid: int) -> str | None:
    """The systemd service that a process belongs to; None if there is none."""
    text = (host.read(f"/proc/{pid}/cgroup") or b"").decode(errors="replace")
    for line in text.splitlines():
        folder = line.split(":", 2)[-1]
        services = [one for one in folder.split("/") if one.endswith(".service")]
        # The user's own systemd restarts what is below user@1000.service.
        if services and not services[0].startswith("user@"):
            return services[-1]
    return None


def command_of(host: Host, running: Running, given: str | None) -> Sequence[str]:
    """The command that restarts a server: the given one, or its systemd service's.

    Raises InputError where none is known.
    """
    if given is not None:
        return ["sh", "-c", given]
    unit = unit_of(host, running.pid)
    if unit is None:
        name = posixpath.basename(running.command[0].split()[0].rstrip(":"))
        raise InputError(
            f"{name} (process {running.pid}) is not a systemd service, so Headcount does not know "
            'how to restart it: give --restart-command "COMMAND"'
        )
    return ["systemctl", "restart", unit]
