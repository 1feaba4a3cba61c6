"""One of two nodes that share an address: a service and a keepalived in a network namespace."""

import contextlib
import os
import signal
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from headcount.errors import SystemLimitError
from headcount.lab import keepalived
from headcount.lab.iproute import ip
from headcount.lab.keepalived import Member
from headcount.lab.keeper import descendants
from headcount.lab.kept import KeptServer
from headcount.lab.segment import Segment

LISTENS = """\
#!/bin/bash
exec 3<>/dev/tcp/{address}/{number}
"""
"""A check whether a server accepts connections (bash(1), REDIRECTION)."""
NOTHING = """\
#!/bin/sh
"""
"""A script for nodes that have nothing to release."""

MOVE_S, MOVE_PAUSE_S = 2.0, 0.01
"""How long a service has to end before the address moves anyway, and the pause between checks."""


@dataclass(frozen=True)
class Place:
    """Where the files of the nodes are.

    Attributes:
        home: The home of all of them.
        short: The same under a name that programs can use.

    """

    home: Path
    short: Path


@dataclass(frozen=True)
class Scripts:
    """What keepalived runs.

    Attributes:
        check: Succeeds while the service works.
        release: Runs when the address has left the node, or should have.

    """

    check: str
    release: str = NOTHING


HAS = "has the address"
"""The state of the node that has the address."""


class PairNode:
    """One node, running.

    Attributes:
        name: What it is called.
        network: What connects it to the segment.
        log: The log file of its keepalived.

    """

    def __init__(
        self,
        parts: ExitStack,
        place: Place,
        segment: Segment,
        name: str,
        settings: Mapping[str, str],
        service: KeptServer,
        scripts: Scripts,
    ) -> None:
        """Start a keepalived beside a service that runs; `parts` gets what ends it.

        Raises SystemLimitError if that fails.
        """
        self.name = name
        self.network = segment.node(name)
        self._floating = segment.floating
        self._service = service
        home, short = place.home / f"keepalived-{name}", place.short / f"keepalived-{name}"
        number = list(segment.nodes).index(name)
        floating = f"{segment.floating}/{segment.prefix}"
        member = Member(name, number, floating, scripts.check, scripts.release)
        try:
            home.mkdir()
            keepalived.write(home, short, member, settings)
        except OSError as error:
            raise SystemLimitError(
                f"cannot write the server's files in {home}: {error.strerror}; choose another "
                "folder: XDG_CACHE_HOME=/some/folder headcount run ..."
            ) from error
        command = self.network.command(keepalived.command(keepalived.program(), short))
        self._keepalived = KeptServer(command, place.home, f"keepalived of {name}")
        parts.callback(self._stop)
        self.log = self._keepalived.log
        self._keepalived.wait_until((home / "vrrp.pid").exists, self.log)

    def _stop(self) -> None:
        """Kill its keepalived: an orderly end takes a second, and no node must take over."""
        pid = self._keepalived.server_pid
        for one in (pid, *descendants(pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        self._keepalived.stop()

    @property
    def pids(self) -> list[int]:
        """The process of its service."""
        return [self._service.server_pid]

    @property
    def others(self) -> list[int]:
        """The process of its keepalived."""
        return [self._keepalived.server_pid]

    def has_address(self) -> bool:
        """Whether it has the address that moves."""
        words = ("-4", "-o", "addr", "show", "dev", keepalived.DEVICE)
        return f" {self._floating}/" in ip("-n", self.network.namespace, *words)

    def state(self) -> str:
        """Whether it has the address, in words."""
        try:
            return HAS if self.has_address() else "without the address"
        except SystemLimitError:
            return "off the network"

    def start(self) -> None:
        """Restart those of its programs that do not run; raises SystemLimitError if that fails."""
        for one in (self._service, self._keepalived):
            if not _lives(one.server_pid):
                one.restart()

    def move(self) -> None:
        """End the service, then its keepalived, which hands the address over as it ends.

        So connections are closed while the node still has their address, and no client hangs.
        """
        pid = self._service.server_pid
        waiting = {pid, *descendants(pid)}
        os.kill(pid, signal.SIGTERM)
        deadline_s = time.monotonic() + MOVE_S
        while any(map(_lives, waiting)) and time.monotonic() < deadline_s:
            time.sleep(MOVE_PAUSE_S)
        os.kill(self._keepalived.server_pid, signal.SIGTERM)


def _lives(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()
