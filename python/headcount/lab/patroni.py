"""A node of a PostgreSQL cluster that a real Patroni of this machine manages.

Patroni starts PostgreSQL, agrees with the others in etcd on who is the primary, promotes a standby
when the primary's lease has run out, and rewinds an old primary that comes back.
"""

import base64
import http.client
import json
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headcount.errors import SystemLimitError, TargetError
from headcount.lab import keeper, port
from headcount.lab.account import Account
from headcount.lab.home import Home, open_base
from headcount.lab.installed import Packages, command_output, find
from headcount.lab.kept import KeptServer
from headcount.lab.line import Line

PACKAGES = Packages("patroni", "patroni")
ASK_S = 2.0
"""How long a request to Patroni may take."""
MOVE_S = 60.0
"""How long a planned move may take."""
PASSWORD_BYTES = 24
"""Random bytes: half as many would be unguessable already."""
PRIMARY = frozenset({"master", "primary"})
"""Patroni's words for a primary, before and since its version 4."""


@dataclass(frozen=True)
class Cluster:
    """What all nodes of a cluster have in common.

    Attributes:
        etcd: The address of etcd, as `ip:port`.
        programs: The folder of PostgreSQL's programs.
        account: The account that its programs run as.
        user: The superuser of the databases.
        password: Theirs.
        settings: Patroni's dynamic configuration, as it names it.
        parameters: PostgreSQL's own, by their names.
        replication_password: That of the role that copies the write-ahead log.
        control_password: That of Patroni's own interface.

    """

    etcd: str
    programs: Path
    account: Account
    user: str
    password: str = field(repr=False)
    settings: Mapping[str, Any]
    parameters: Mapping[str, str]
    replication_password: str = field(
        default_factory=lambda: secrets.token_urlsafe(PASSWORD_BYTES), repr=False
    )
    control_password: str = field(
        default_factory=lambda: secrets.token_urlsafe(PASSWORD_BYTES), repr=False
    )


class PatroniNode:
    """Patroni with its PostgreSQL, running.

    Attributes:
        name: The node's name.
        address: Where its PostgreSQL listens, as `ip:port`.
        control: Where its Patroni answers, as `ip:port`.
        lines: From the other node to its PostgreSQL, and from it to etcd. Users do not use them:
            they reach its PostgreSQL directly.
        home: The folder of its data.
        server: Patroni's process.

    """

    def __init__(self, name: str, cluster: Cluster) -> None:
        """Start it; it need not serve yet. Raises NotInstalledError, else SystemLimitError."""
        self.name = name
        self._cluster = cluster
        self._program = program()
        self._parts = port.started("Patroni", self._start)

    def _start(self, parts: ExitStack) -> bool:
        """Whether Patroni listens; False if another program has taken its port."""
        database, control = port.free(), port.free()
        home = Home("patroni", open_base())
        parts.callback(home.delete)
        self.home = home.path.absolute()
        self.address = f"{port.host()}:{database}"
        self.control = f"{port.host()}:{control}"
        self.lines = (Line(self.address), Line(self._cluster.etcd))
        for line in self.lines:
            parts.callback(line.stop)
        file = self.home / "patroni.json"
        try:
            file.touch(0o600)  # it has passwords
            file.write_text(json.dumps(self._configuration(), indent=1), "utf-8")
            self._cluster.account.own(self.home)
        except OSError as error:
            raise SystemLimitError(
                f"cannot write the server's files in {self.home}: {error.strerror}; choose another "
                "folder: XDG_CACHE_HOME=/some/folder headcount run ..."
            ) from error
        command = [self._program, str(file)]
        self.server = KeptServer(command, self.home, "Patroni", self._cluster.account)
        parts.callback(self.server.stop)
        return self.server.got_port(control, self.server.log)

    def _configuration(self) -> dict[str, Any]:
        """Its file; JSON is YAML, too. All else has Patroni's defaults."""
        common = self._cluster
        network = f"{port.host()}/32"
        return {
            "scope": "headcount",
            "name": self.name,
            # Only through this line: etcd would advertise its own address.
            "etcd3": {"hosts": [self.lines[1].address], "use_proxies": True},
            "restapi": {
                "listen": self.control,
                "connect_address": self.control,
                "authentication": {"username": "headcount", "password": common.control_password},
            },
            "bootstrap": {
                "dcs": common.settings,
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}],
            },
            "postgresql": {
                "listen": self.address,
                "connect_address": self.lines[0].address,
                "data_dir": str(self.home / "data"),
                "bin_dir": str(common.programs),
                "pgpass": str(self.home / "pgpass"),
                "authentication": {
                    "superuser": {"username": common.user, "password": common.password},
                    "replication": {
                        "username": "replicator",
                        "password": common.replication_password,
                    },
                },
                "parameters": {**common.parameters, "unix_socket_directories": ""},
                "pg_hba": [
                    f"host replication replicator {network} scram-sha-256",
                    "host all all all scram-sha-256",
                ],
            },
        }

    def pids(self) -> list[int]:
        """Its processes now: Patroni, and a PostgreSQL that outlives it."""
        return sorted(keeper.descendants(self.server.pid))

    def status(self) -> dict[str, Any]:
        """What Patroni reports about itself and its PostgreSQL; empty if it does not answer."""
        try:
            found = json.loads(self._asked("GET", "/patroni")[1])
        except (OSError, http.client.HTTPException, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def is_primary(self) -> bool:
        """Whether it is the primary, and runs."""
        return is_primary(self.status())

    def move_to(self, other: str) -> None:
        """Make another node the primary, in an orderly way; raises TargetError."""
        order = json.dumps({"leader": self.name, "candidate": other})
        try:
            code, answer = self._asked("POST", "/switchover", order, MOVE_S)
        except (OSError, http.client.HTTPException) as error:
            raise TargetError(f"Patroni of {self.name} does not answer: {error}") from error
        if code != http.client.OK:
            raise TargetError(f"Patroni of {self.name} does not move the primary: {answer.strip()}")

    def _asked(
        self, method: str, path: str, order: str | None = None, patience_s: float = ASK_S
    ) -> tuple[int, str]:
        """The status and text of Patroni's answer; raises OSError, HTTPException."""
        host, number = self.control.rsplit(":", 1)
        name = base64.b64encode(f"headcount:{self._cluster.control_password}".encode()).decode()
        connection = http.client.HTTPConnection(host, int(number), timeout=patience_s)
        try:
            connection.request(method, path, order, {"Authorization": f"Basic {name}"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode("utf-8", errors="replace")
        finally:
            connection.close()

    def restart(self) -> None:
        """Start it again after it was killed, with its data; raises SystemLimitError."""
        self.server.restart()

    def stop(self) -> None:
        """End it and delete what it stored; safe to call twice."""
        self._parts.close()


def is_primary(status: Mapping[str, Any]) -> bool:
    """Whether this is Patroni's status of a running primary."""
    return status.get("role") in PRIMARY and status.get("state") == "running"


def standbys(status: Mapping[str, Any]) -> Mapping[str, str]:
    """The standbys of a primary, and whether commits wait for them: `sync`, `async`, ..."""
    return {
        str(one.get("application_name")): str(one.get("sync_state"))
        for one in status.get("replication", ())
        if one.get("state") == "streaming"
    }


def wait(is_so: Callable[[], bool], longest_s: float, pause_s: float = 0.2) -> bool:
    """Wait until a condition holds; returns whether it did in time."""
    end_s = time.monotonic() + longest_s
    while not is_so():
        if time.monotonic() > end_s:
            return False
        time.sleep(pause_s)
    return True


def program() -> str:
    """The path of Patroni; raises NotInstalledError."""
    return find("patroni", PACKAGES.advice("lab:ha-postgresql needs Patroni"))


def version() -> str:
    """Its version."""
    return command_output([program(), "--version"]).strip().rpartition(" ")[2]
