"""HAProxy in front of the two nginx of `lab:ha-web`."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from headcount.lab import haproxy, port
from headcount.lab.haproxy import Haproxy
from headcount.lab.nginx import NginxServer
from headcount.lab.node import Node, NodeStates
from headcount.lab.pair import NAMES
from headcount.lab.setting import ON_OFF, Setting

SETTINGS: Mapping[str, Setting] = {
    "check_ms": Setting(
        "2000",
        (),
        "inter",
        "Time from one health check to the next, in ms; 2000 is HAProxy's own default.",
        most=600_000,
    ),
    "check_fall": Setting(
        "3", (), "fall", "Failed checks until a node gets no more requests.", most=100
    ),
    "check_rise": Setting(
        "2", (), "rise", "Checks that succeed until a node gets requests again.", most=100
    ),
    "balance": Setting(
        "roundrobin",
        ("roundrobin", "leastconn", "standby"),
        "balance",
        "Who gets a request: both nodes in turn, that with fewer connections, or the second node "
        "only while the first is away.",
    ),
    "redispatch": Setting(
        "off",
        ON_OFF,
        "option redispatch",
        "Whether the last retry of a request goes to another node.",
    ),
    "retry_on": Setting(
        "conn-failure",
        ("none", "conn-failure", "all-retryable-errors"),
        "retry-on",
        "What is tried again: nothing, connections that fail, or also answers that do not come.",
    ),
}
CONFIGURATION = """\
global
  maxconn {connections}
  stats socket unix@{socket} level user
defaults
  mode http
  timeout connect 5s
  timeout client 50s
  timeout server 50s
  retries 3
  retry-on {retry_on}
{redispatch}frontend users
  bind {host}:{number}
  default_backend nodes
backend nodes
  balance {balance}
  option httpchk GET {check}
  default-server check inter {check_ms} fall {check_fall} rise {check_rise}
{nodes}
"""
"""Timeouts are those of the file that Debian ships; all else has HAProxy's defaults."""
CONNECTIONS = 4000
"""HAProxy needs two file handles for each, and refuses to start without them."""
CHECKED = "/headcount-status"
"""A page that each node has without a data set."""


class BalancedPair:
    """Two nginx and an HAProxy on loopback ports, running.

    Attributes:
        address: HAProxy's.
        home: The folder of its data.
        logs: The programs' log files, by program.
        programs: Programs and versions.
        nodes: The two nginx.
        node_states: Which of them gets requests, according to HAProxy.

    """

    def __init__(self, parts: ExitStack, settings: Mapping[str, str]) -> None:
        """Start them; `parts` gets what ends them. Raises SystemLimitError."""
        self._settings = settings
        self._nginx = [self._started(parts) for _ in NAMES]
        first, second = self._nginx
        # Storage that both nodes share: each sees what is written for the other.
        second.data.rmdir()
        second.data.symlink_to(first.data)
        self._haproxy = Haproxy("lab:ha-web", self._configuration)
        parts.callback(self._haproxy.stop)
        self.home = self._haproxy.home
        self.address = self._haproxy.address
        self.logs: Mapping[str, Path] = {
            "haproxy": self._haproxy.server.log,
            **{
                f"nginx {name}": one.logs["nginx"]
                for name, one in zip(NAMES, self._nginx, strict=True)
            },
        }
        self.programs: Mapping[str, str] = {"haproxy": self._haproxy.version, **first.programs}
        self.node_states = NodeStates(
            {name: partial(self._haproxy.state, name) for name in NAMES},
            serving=haproxy.IN_USE,
            noticed=frozenset({haproxy.GIVEN_UP}),
        )
        self.nodes: Sequence[Node] = [
            Node(name, lambda one=one: one.pids, one.restart)  # type: ignore[misc]
            for name, one in zip(NAMES, self._nginx, strict=True)
        ]

    @staticmethod
    def _started(parts: ExitStack) -> NginxServer:
        one = NginxServer({})
        parts.callback(one.stop)
        return one

    def _configuration(self, number: int) -> str:
        given = self._settings
        is_standby = given["balance"] == "standby"
        nodes = [
            f"  server {name} {one.address}{' backup' if is_standby and name != NAMES[0] else ''}"
            for name, one in zip(NAMES, self._nginx, strict=True)
        ]
        return CONFIGURATION.format(
            connections=CONNECTIONS,
            socket=haproxy.SOCKET,
            host=port.host(),
            number=number,
            check=CHECKED,
            check_ms=given["check_ms"],
            check_fall=given["check_fall"],
            check_rise=given["check_rise"],
            retry_on=given["retry_on"],
            redispatch="  option redispatch\n" if given["redispatch"] == "on" else "",
            balance="roundrobin" if is_standby else given["balance"],
            nodes="\n".join(nodes),
        )

    def wait_until_noticed(self) -> None:
        """Wait until HAProxy has given up a node that is down."""
        given = self._settings
        time.sleep((int(given["check_fall"]) + 1) * int(given["check_ms"]) / 1000)

    @property
    def data(self) -> Path:
        """The folder that both nodes serve; the data set's pages go there."""
        return self._nginx[0].data

    @property
    def pids(self) -> list[int]:
        """HAProxy's process and those of the nodes."""
        return [self._haproxy.server.server_pid, *(pid for one in self._nginx for pid in one.pids)]

    @property
    def most(self) -> Mapping[str, int]:
        """How many connections it takes at a time: one node must be enough."""
        return {"connections": min(CONNECTIONS, *(one.most["connections"] for one in self._nginx))}
