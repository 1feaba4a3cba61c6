"""`lab:ha-postgresql`: two real PostgreSQL with streaming replication, as people run them.

Patroni manages them with an etcd, and an HAProxy sends users to the primary: the stack of Patroni's
own documentation, with its defaults. All of it is on loopback ports.
"""

import re
import secrets
import socket
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from headcount.errors import InputError, SystemLimitError, TargetError
from headcount.lab import account, patroni, port, setting
from headcount.lab.etcd import Etcd
from headcount.lab.haproxy import Haproxy
from headcount.lab.installed import command_output
from headcount.lab.node import Node, NodeStates, down, end
from headcount.lab.patroni import Cluster, PatroniNode
from headcount.lab.postgresql import PASSWORD_BYTES, programs
from headcount.lab.setting import Setting

HA_POSTGRESQL: Mapping[str, Setting] = {
    "replication": Setting(
        "async",
        ("async", "sync", "sync-strict"),
        "synchronous_mode",
        "Whether a commit waits for the standby. async: never; sync: as long as there is a "
        "standby; sync-strict: always, so that nobody can write while a node is away.",
    ),
    "ttl_s": Setting(
        "30",
        (),
        "ttl",
        "How long the primary's lease lasts, in seconds: about how long it takes until the standby "
        "is promoted.",
        most=3600,
    ),
    "loop_wait_s": Setting(
        "10",
        (),
        "loop_wait",
        "How often a node checks itself and the primary renews its lease, in seconds. Patroni asks "
        "for ttl >= loop_wait + 2 * retry_timeout.",
        most=3600,
    ),
    "retry_timeout_s": Setting(
        "10",
        (),
        "retry_timeout",
        "How long etcd may not answer before the primary steps down, in seconds.",
        most=3600,
    ),
    "down": down("standby"),
    "check_ms": Setting(
        "3000",
        (),
        "inter",
        "Time from one health check of HAProxy to the next, in ms: it gives a node up after three "
        "that fail, and sends users to one after two that succeed.",
        most=600_000,
    ),
    "max_connections": Setting(
        "1000", (), "max_connections", "Most sessions of a node, a process each.", most=20_000
    ),
    "shared_buffers_mib": Setting(
        "128", (), "shared_buffers", "Memory of a node for cached pages, in MiB.", most=1_000_000
    ),
}
CONFIGURATION = """\
global
  maxconn {connections}
defaults
  mode tcp
  retries 2
  timeout client 30m
  timeout connect 4s
  timeout server 30m
  timeout check 5s
listen users
  bind {host}:{number}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter {check_ms} fall 3 rise 2 on-marked-down shutdown-sessions
{nodes}
"""
"""As in Patroni's documentation (haproxy.cfg), except for the port and the connection limit."""
NAMES = ("node1", "node2")
"""Not "first", a keyword of synchronous_standby_names, where Patroni puts names unquoted."""
ANSWER_S = 2.0
SSL_REQUEST = bytes.fromhex("0000000804d2162f")
"""A client's request for TLS, which PostgreSQL answers with a byte (its protocol, 3.0)."""
WITHOUT_PRIMARY = "standby without a primary"
"""The state of a node that has noticed that the primary's lease has run out."""
UP_S = 90.0
"""How long the cluster may take until both nodes serve: initdb, a copy of it, or a rewind."""


class HaPostgresqlServer:
    """Two PostgreSQL, each with a Patroni, an etcd and an HAProxy in the lab, running.

    Attributes:
        known: What `[server]` may set.
        user: The superuser.
        password: Theirs, new with each start; in no command line, setting or message.
        database: A database that is empty.
        nodes: The present primary and standby.
        node_states: What each node is, by its Patroni.

    """

    known = HA_POSTGRESQL
    user = "headcount"
    database = "postgres"
    authority: Path | None = None

    @staticmethod
    def check_settings(settings: Mapping[str, str]) -> None:
        """Raise InputError for settings that it does not have; starts nothing."""
        complete(settings)

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Start them; raises InputError for settings they do not have, else SystemLimitError."""
        self.settings: Mapping[str, str] = complete(settings)
        self.password = secrets.token_urlsafe(PASSWORD_BYTES)
        _, postgres = programs()
        version = re.search(r"\) (\S+)", command_output([postgres, "--version"]))
        who = account.unprivileged("PostgreSQL")
        with ExitStack() as parts:
            self._etcd = Etcd("lab:ha-postgresql", who)
            parts.callback(self._etcd.stop)
            cluster = self._cluster(Path(postgres).parent, who)
            self._nodes: list[PatroniNode] = []
            for name in NAMES:
                self._nodes.append(PatroniNode(name, cluster))
                parts.callback(self._nodes[-1].stop)
            self._haproxy = Haproxy("lab:ha-postgresql", self._configuration)
            parts.callback(self._haproxy.stop)
            self._wait_until_up()
            self._parts = parts.pop_all()
        self.home = self._nodes[0].home
        self.address = self._haproxy.address
        servers = [self._haproxy.server, self._etcd.server, *(one.server for one in self._nodes)]
        # Keepers keep their pids while the lab runs, whatever fails below them.
        self.pids = [one.pid for one in servers]
        self.logs: Mapping[str, Path] = {
            "haproxy": self._haproxy.server.log,
            "etcd": self._etcd.server.log,
            **{f"postgresql {one.name}": one.server.log for one in self._nodes},
        }
        self.programs: Mapping[str, str] = {
            "haproxy": self._haproxy.version,
            "patroni": patroni.version(),
            "postgresql": version[1] if version else "unknown",
            **self._etcd.programs,
        }
        self.nodes: Sequence[Node] = [self._role(True), self._role(False)]
        self.node_states = NodeStates(
            {one.name: partial(_state, one) for one in self._nodes},
            serving="primary",
            noticed=frozenset({WITHOUT_PRIMARY}),
        )
        if self.settings["down"] != "none":
            end(self.nodes[1])

    def _cluster(self, folder: Path, who: account.Account) -> Cluster:
        given = self.settings
        dynamic: dict[str, Any] = {
            "ttl": int(given["ttl_s"]),
            "loop_wait": int(given["loop_wait_s"]),
            "retry_timeout": int(given["retry_timeout_s"]),
            "synchronous_mode": given["replication"] != "async",
            "synchronous_mode_strict": given["replication"] == "sync-strict",
            "postgresql": {
                "use_pg_rewind": True,
                "parameters": {"max_connections": int(given["max_connections"])},
            },
        }
        return Cluster(
            etcd=self._etcd.address,
            programs=folder,
            account=who,
            user=self.user,
            password=self.password,
            settings=dynamic,
            parameters={"shared_buffers": f"{given['shared_buffers_mib']}MB"},
        )

    def _configuration(self, number: int) -> str:
        limit = int(self.settings["max_connections"])
        nodes = [
            f"  server {one.name} {one.address} maxconn {limit} "
            f"check port {one.control.rsplit(':', 1)[1]}"
            for one in self._nodes
        ]
        return CONFIGURATION.format(
            connections=limit + 100,
            host=port.host(),
            number=number,
            check_ms=self.settings["check_ms"],
            nodes="\n".join(nodes),
        )

    def _wait_until_up(self) -> None:
        if not patroni.wait(lambda: self.problem() is None, UP_S):
            log = self._nodes[0].server.log_text().strip().splitlines()[-5:]
            raise SystemLimitError(
                f"lab:ha-postgresql: {self.problem()} after {UP_S:g} s; the first node's log ends: "
                + "\n".join(log)
            )

    def problem(self) -> str | None:
        """What is missing until one node may fail; None if nothing is."""
        found = [one.status() for one in self._nodes]
        primary = next((one for one in found if patroni.is_primary(one)), None)
        if primary is None:
            return "no node is the primary"
        copies = patroni.standbys(primary)
        if not copies:
            return "the standby does not replicate"
        if self.settings["replication"] != "async" and "sync" not in copies.values():
            return "the standby is not synchronous"
        is_reached = _reaches_postgresql(self._haproxy.address)
        return None if is_reached else "HAProxy does not know the primary yet"

    def _role(self, is_primary: bool) -> Node:
        """The node that has a role now; after a fault, the one that had it then."""
        name = "primary" if is_primary else "standby"
        hit: list[PatroniNode] = []

        def found() -> PatroniNode:
            for one in self._nodes:
                status = one.status()
                if status and patroni.is_primary(status) == is_primary:
                    return one
            raise TargetError(f"no node of the lab is the {name}")

        def pids() -> list[int]:
            hit[:] = [found()]
            return hit[0].pids()

        def restart() -> None:
            for one in hit:
                if not one.pids():
                    one.restart()

        def move() -> None:
            one = found()
            one.move_to(next(other.name for other in self._nodes if other is not one))

        def lines() -> list[int]:
            return [one.server.server_pid for one in found().lines]

        return Node(
            name,
            pids,
            restart,
            move=move if is_primary else None,
            problem=self.problem,
            lines=lines,
        )

    def stop(self) -> None:
        """End all of it and delete what it stored; safe to call twice."""
        self._parts.close()


def complete(given: Mapping[str, str]) -> dict[str, str]:
    """All settings; raises InputError for what it does not have, or what does not go together."""
    whole = setting.complete("ha-postgresql", HA_POSTGRESQL, given)
    ttl, loop_wait, retry = (int(whole[key]) for key in ("ttl_s", "loop_wait_s", "retry_timeout_s"))
    least = loop_wait + 2 * retry
    if ttl < least:
        raise InputError(
            f"ttl_s is {ttl}, and must be at least loop_wait_s + 2 * retry_timeout_s, which is "
            f"{least}: a primary would lose its lease while it renews it; set all three"
        )
    return whole


def _state(node: PatroniNode) -> str:
    """What a node is, by its Patroni."""
    status = node.status()
    if not status:
        return "no answer"
    if patroni.is_primary(status):
        return "primary"
    if status.get("role") != "replica" or status.get("state") != "running":
        return str(status.get("state", "unknown"))
    return WITHOUT_PRIMARY if status.get("cluster_unlocked") else "standby"


def _reaches_postgresql(address: str) -> bool:
    """Whether a PostgreSQL answers at an address, or behind it: a proxy always listens."""
    host, number = address.rsplit(":", 1)
    try:
        with socket.create_connection((host, int(number)), ANSWER_S) as connection:
            connection.sendall(SSL_REQUEST)
            return connection.recv(1) != b""
    except OSError:
        return False
