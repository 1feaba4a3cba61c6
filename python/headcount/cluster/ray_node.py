"""How a node of Ray is started: its command, its variables and its files."""

import json
import posixpath
import shlex
from collections.abc import Mapping, Sequence

from headcount.cluster import ports
from headcount.cluster.certificates import Certificate
from headcount.cluster.far.node import LAUNCHER
from headcount.cluster.state import NodeState

OBJECTS_BYTES = 100_000_000
"""Size of Ray's store, which agents do not use: it allows no less than 75 MiB."""
TOKEN, CERTIFICATE, KEY, AUTHORITY = "token", "node.crt", "node.key", "ca.crt"
INSIDE = "ray"
"""Ray lets everybody write to the folder that it is given, so that is inside a private one."""
RAY = ("-P", "-m", "ray.scripts.scripts")
LIST = """
import json, ray, sys
ray.init(address=sys.argv[1], log_to_driver=False, logging_level="ERROR")
print("nodes:", json.dumps([[one["NodeManagerAddress"], one["NodeManagerPort"], one["Alive"],
    one["Resources"].get("CPU", 0)] for one in ray.nodes()]))
"""
"""Run on the head: lists the nodes that it knows."""


def command(node: NodeState, head: str) -> list[str]:
    """The command that starts a node; it has no secrets."""
    number = head.rpartition(":")[2]
    where = ["--head", f"--port={number}"] if node.is_head else [f"--address={head}"]
    return [
        *(node.program, *RAY, "start", "--block", *where),
        *("--disable-usage-stats", "--include-log-monitor=false"),
        *(["--include-dashboard=false", "--no-monitor"] if node.is_head else []),
        f"--node-ip-address={node.ip}",
        f"--num-cpus={node.cpus}",
        f"--temp-dir={node.temp}/{INSIDE}",
        f"--object-store-memory={OBJECTS_BYTES}",
        *ports.options(ports.range_of(node.ports)),
    ]


def access(node: NodeState) -> dict[str, str]:
    """Variables with which a program on a node's machine may use the cluster: paths only."""
    return {
        # Under `uv run`, Ray would send the folder to all machines.
        "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": posixpath.join(node.run, TOKEN),
        "RAY_USE_TLS": "1",
        "RAY_TLS_SERVER_CERT": posixpath.join(node.run, CERTIFICATE),
        "RAY_TLS_SERVER_KEY": posixpath.join(node.run, KEY),
        "RAY_TLS_CA_CERT": posixpath.join(node.run, AUTHORITY),
    }


def environment(node: NodeState) -> dict[str, str]:
    """Variables of a node."""
    return {
        **access(node),
        "RAY_USAGE_STATS_ENABLED": "0",
        "PYTHONSAFEPATH": "1",
        "PYTHONNOUSERSITE": "1",
    }


def files(
    node: NodeState, token: str, authority: str, certificate: Certificate
) -> Mapping[str, str]:
    """The files in a node's folder."""
    found = {
        TOKEN: token,
        AUTHORITY: authority,
        CERTIFICATE: certificate.text,
        KEY: certificate.key,
    }
    if node.is_head and node.address is not None:
        found[LAUNCHER] = _launcher(node)
    return found


def nodes_in(output: str) -> Sequence[tuple[str, int, bool, int]]:
    """What `LIST` printed: IP address, port, whether it is alive, CPUs."""
    for line in output.splitlines():
        if line.startswith("nodes: "):
            rows = json.loads(line.removeprefix("nodes: "))
            return [
                (str(ip), int(port), bool(is_alive), int(cpus)) for ip, port, is_alive, cpus in rows
            ]
    return []


def _launcher(node: NodeState) -> str:
    """A script that runs Headcount on a head that was logged in to."""
    variables = "".join(
        f"export {key}={shlex.quote(value)}\n" for key, value in access(node).items()
    )
    return f'#!/bin/sh\n{variables}exec {shlex.quote(node.program)} -P -m headcount "$@"\n'
