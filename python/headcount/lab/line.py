"""A line from one server of the lab to another; it can be cut and restored."""

import sys
from contextlib import ExitStack

from headcount.lab import port
from headcount.lab.home import Home
from headcount.lab.kept import KeptServer


class Line:
    """Passes connections on to a server.

    Attributes:
        address: Where it listens, as `ip:port`.
        server: Its process. The line is cut while that is stopped (SIGSTOP).

    """

    def __init__(self, to: str) -> None:
        """Start it to an address, where nothing need listen yet. Raises SystemLimitError."""
        self._to = to
        self._parts = port.started("the line between nodes", self._start)

    def _start(self, parts: ExitStack) -> bool:
        """Whether it listens; False if another program has taken its port."""
        number = port.free()
        home = Home("line")
        parts.callback(home.delete)
        self.address = f"{port.host()}:{number}"
        command = [sys.executable, "-m", "headcount.lab.relay", self.address, self._to]
        self.server = KeptServer(command, home.path.absolute(), "the line between nodes")
        parts.callback(self.server.stop)
        return self.server.got_port(number, self.server.log)

    def stop(self) -> None:
        """End it; safe to call twice."""
        self._parts.close()
