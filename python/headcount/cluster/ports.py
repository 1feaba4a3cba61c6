"""Ports of a Ray node: all are fixed, so that a firewall can let them through."""

import re
from collections.abc import Sequence

from headcount.errors import InputError

SERVICES = (
    "node-manager-port",
    "object-manager-port",
    "runtime-env-agent-port",
    "dashboard-agent-listen-port",
    "dashboard-agent-grpc-port",
    "metrics-export-port",
)
"""Ray's options for one port each; worker processes share the others."""
SPARE = 16
"""Ports for processes that Ray starts besides one for each CPU."""
LEAST = len(SERVICES) + SPARE


def range_of(text: str) -> range:
    """The ports of a text such as `6380-6479`; raises InputError."""
    found = re.fullmatch(r"(\d{1,5})-(\d{1,5})", text.replace(" ", ""))
    if found is None:
        raise InputError(f'it is "{text}"; write the first and the last port, such as 6380-6479')
    ports = range(int(found[1]), int(found[2]) + 1)
    if ports.start < 1 or ports.stop > 65_536:
        raise InputError(f'it is "{text}"; ports are from 1 to 65535')
    if len(ports) < LEAST:
        raise InputError(f'it is "{text}", which is {len(ports)} ports; Ray needs {LEAST} or more')
    return ports


def options(ports: range) -> list[str]:
    """Options of `ray start`."""
    services = [f"--{name}={port}" for name, port in zip(SERVICES, ports, strict=False)]
    first = ports.start + len(SERVICES)
    return [*services, f"--min-worker-port={first}", f"--max-worker-port={ports.stop - 1}"]


def lack(text: str, cpus: int) -> str | None:
    """What is wrong with the ports of a machine that gives agents `cpus` CPUs; None if nothing."""
    number, wanted = len(range_of(text)), LEAST + cpus
    if number >= wanted:
        return None
    return (
        f"with {cpus} CPUs Ray needs {wanted} ports, and {text} are {number}: give more with "
        "ports = in the hosts file, or fewer cpus"
    )


def listed(ports: Sequence[int]) -> str:
    """Ports for people: `6379, 6381-6384`."""
    parts: list[list[int]] = []
    for port in sorted(ports):
        if parts and parts[-1][-1] == port - 1:
            parts[-1].append(port)
        else:
            parts.append([port])
    return ", ".join(str(one[0]) if len(one) == 1 else f"{one[0]}-{one[-1]}" for one in parts)
