"""A real HAProxy of this machine in front of the nodes of a lab server."""

import csv
import re
import socket
from collections.abc import Callable
from contextlib import ExitStack

from headcount.errors import SystemLimitError
from headcount.lab import port
from headcount.lab.home import Home
from headcount.lab.installed import Packages, command_output, find
from headcount.lab.kept import KeptServer

SOCKET = "statistics"
"""The name of the socket at which it reports the nodes' states, in its own folder."""
IN_USE, GIVEN_UP, NO_ANSWER = "in use", "given up", "no answer"
ASK_S = 2.0
PACKAGES = Packages("haproxy", "haproxy")


class Haproxy:
    """HAProxy, running.

    Attributes:
        version: Of the program.
        address: Where users reach it, as `ip:port`.
        home: The folder of its configuration.
        server: Its process.

    """

    def __init__(self, lab: str, configuration: Callable[[int], str]) -> None:
        """Start it for a lab server; `configuration` is its file's text for the port of users.

        Raises NotInstalledError, else SystemLimitError if it does not come up.
        """
        self._configuration = configuration
        self._program = find("haproxy", PACKAGES.advice(f"{lab} needs HAProxy"))
        version = re.search(r"version (\S+)", command_output([self._program, "-v"]))
        self.version = version[1] if version else "unknown"
        self._parts = port.started("HAProxy", self._start)

    def _start(self, parts: ExitStack) -> bool:
        """Whether it listens; False if another program has taken the port."""
        number = port.free()
        home = Home("haproxy")
        parts.callback(home.delete)
        self.home = home.path.absolute()
        file = self.home / "haproxy.cfg"
        try:
            file.write_text(self._configuration(number), "utf-8")
        except OSError as error:
            raise SystemLimitError(
                f"cannot write the server's files in {self.home}: {error.strerror}; choose another "
                "folder: XDG_CACHE_HOME=/some/folder headcount run ..."
            ) from error
        # In its own folder: the path of a socket has at most 107 characters (unix(7)).
        command = [self._program, "-db", "-C", str(self.home), "-f", file.name]
        self.server = KeptServer(command, self.home, "HAProxy")
        parts.callback(self.server.stop)
        if not self.server.got_port(number, self.server.log):
            return False
        self.address = f"{port.host()}:{number}"
        return True

    def state(self, node: str) -> str:
        """Its state of a node: in use, or given up; for a configuration with SOCKET.

        Raises nothing.
        """
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(ASK_S)
                connection.connect(str(self.home / SOCKET))
                connection.sendall(b"show stat -1 4 -1\n")
                with connection.makefile("r", encoding="utf-8") as answer:
                    rows = list(csv.DictReader(answer))
        except OSError:
            return NO_ANSWER
        found = next((row for row in rows if row["svname"] == node), None)
        if found is None:
            return NO_ANSWER
        return GIVEN_UP if found["status"].startswith(("DOWN", "MAINT", "NOLB")) else IN_USE

    def stop(self) -> None:
        """End it and delete its files; safe to call twice."""
        self._parts.close()
