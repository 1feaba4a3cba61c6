"""A real etcd of this machine: where the nodes of a lab server agree on who leads them."""

from collections.abc import Mapping
from contextlib import ExitStack

from headcount.lab import port
from headcount.lab.account import Account
from headcount.lab.home import Home, open_base
from headcount.lab.installed import Packages, command_output, find
from headcount.lab.kept import KeptServer

PACKAGES = Packages("etcd-server", "etcd")


class Etcd:
    """One etcd, running. It may not fail: etcd clusters of three are not measured here.

    Attributes:
        address: Where clients reach it, as `ip:port`.
        server: Its process.
        programs: Program and version.

    """

    def __init__(self, lab: str, account: Account) -> None:
        """Start it for a lab server, as this account.

        Raises NotInstalledError, else SystemLimitError if it does not come up.
        """
        self._program = find("etcd", PACKAGES.advice(f"{lab} needs etcd"))
        self._account = account
        version = command_output([self._program, "--version"]).splitlines()[0]
        self.programs: Mapping[str, str] = {"etcd": version.rpartition(" ")[2]}
        self._parts = port.started("etcd", self._start)

    def _start(self, parts: ExitStack) -> bool:
        """Whether it listens; False if another program has taken a port."""
        clients, peers = port.free(), port.free()
        home = Home("etcd", open_base())
        parts.callback(home.delete)
        folder = home.path.absolute()
        self._account.own(folder)
        self.address = f"{port.host()}:{clients}"
        peer = f"http://{port.host()}:{peers}"
        options = {
            "name": "headcount",
            "data-dir": str(folder / "data"),
            "listen-client-urls": f"http://{self.address}",
            "advertise-client-urls": f"http://{self.address}",
            "listen-peer-urls": peer,
            "initial-advertise-peer-urls": peer,
            "initial-cluster": f"headcount={peer}",
            "log-level": "warn",
        }
        command = [self._program, *(f"--{key}={value}" for key, value in options.items())]
        self.server = KeptServer(command, folder, "etcd", self._account)
        parts.callback(self.server.stop)
        return self.server.got_port(clients, self.server.log)

    def stop(self) -> None:
        """End it and delete what it stored; safe to call twice."""
        self._parts.close()
