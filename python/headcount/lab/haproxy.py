"""A real HAProxy of this machine in front of the nodes of a lab server."""

import re
from collections.abc import Callable
from contextlib import ExitStack

from headcount.errors import SystemLimitError
from headcount.lab import port
from headcount.lab.home import Home
from headcount.lab.installed import Packages, command_output, find
from headcount.lab.kept import KeptServer

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

        Raises NotInstalledError, else SystemLimitError where it does not come up.
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
        self.server = KeptServer([self._program, "-db", "-f", str(file)], self.home, "HAProxy")
        parts.callback(self.server.stop)
        if not self.server.got_port(number, self.server.log):
            return False
        self.address = f"{port.host()}:{number}"
        return True

    def stop(self) -> None:
        """End it and delete its files; safe to call twice."""
        self._parts.close()
