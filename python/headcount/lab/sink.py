"""A mail server that only counts what arrives: Postfix's smtp-sink."""

import re
from contextlib import ExitStack

from headcount.lab import account, port
from headcount.lab.home import Home, open_base
from headcount.lab.installed import find
from headcount.lab.kept import KeptServer
from headcount.lab.postfix import ADVICE

BACKLOG = "1000"
"""Connections that may wait to be accepted."""
COUNTED = re.compile(rb"mesg=([0-9]+)")
"""A message, in the figures that smtp-sink -c prints as each session ends."""
LAST_BYTES = 4096
"""How many bytes of the file's end contain the last figures."""


class Sink:
    """A destination, running.

    Attributes:
        number: The port of its SMTP.
        pid: Its process.

    """

    def __init__(self) -> None:
        """Start it; raises SystemLimitError if that fails."""
        self._command = find("smtp-sink", ADVICE)
        self._account = account.unprivileged("smtp-sink")
        self._parts = port.started("smtp-sink", self._start)

    def _start(self, parts: ExitStack) -> bool:
        """Whether it listens; False if another program has taken the port."""
        self.number = port.free()
        home = Home("sink", open_base())
        parts.callback(home.delete)
        self._counts = home.path / "counts"
        self._counts.touch()
        self._account.own(home.path)
        sink = f'exec {self._command} -c {port.host()}:{self.number} {BACKLOG} > "$0"'
        command = ["/bin/sh", "-c", sink, str(self._counts)]
        server = KeptServer(command, home.path, "smtp-sink", self._account)
        parts.callback(server.stop)
        self.pid = server.server_pid
        return server.got_port(self.number, self._counts)

    def arrivals(self) -> int:
        """Messages that have arrived."""
        with self._counts.open("rb") as file:
            file.seek(max(0, self._counts.stat().st_size - LAST_BYTES))
            counted = COUNTED.findall(file.read())
        return int(counted[-1]) if counted else 0

    def stop(self) -> None:
        """End it; safe to call twice."""
        self._parts.close()
