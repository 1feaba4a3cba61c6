"""Which container a program forwards connections to, by its command line.

`docker-proxy` has the container's address as an argument, unique within its network; `conmon`,
which holds the ports of Podman's containers, has the container's id.
"""

import ipaddress
import re
from itertools import pairwise

from headcount.counters.proc.machine import Machine

_ID = re.compile(r"[0-9a-f]{64}")


def container_behind(machine: Machine, pid: int) -> str | None:
    """The id of the container that a process forwards to; None if unknown."""
    words = (machine.text(f"{machine.proc}/{pid}/cmdline") or "").split("\0")
    options = dict(pairwise(words))
    if (found := _ID.fullmatch(options.get("-c", ""))) is not None:
        return found[0]
    try:
        wanted = ipaddress.ip_address(options.get("-container-ip", ""))
    except ValueError:
        return None
    firsts: dict[str, int] = {}
    for one in machine.pids():
        if (found := _ID.search(machine.text(f"{machine.proc}/{one}/cgroup") or "")) is not None:
            firsts.setdefault(found[0], one)
    for container, first in firsts.items():
        if wanted in _addresses(machine, first):
            return container
    return None


def _addresses(machine: Machine, pid: int) -> set[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    """The addresses of a process's network: `net/fib_trie` lists those of IPv4 twice."""
    folder = f"{machine.proc}/{pid}/net"
    lines = (machine.text(f"{folder}/fib_trie") or "").splitlines()
    found: set[ipaddress.IPv4Address | ipaddress.IPv6Address] = set()
    for line, below in pairwise(lines):
        if "|-- " in line and "host LOCAL" in below:
            found.add(ipaddress.IPv4Address(line.rpartition(" ")[2]))
    for line in (machine.text(f"{folder}/if_inet6") or "").splitlines():
        found.add(ipaddress.IPv6Address(int(line.split()[0], 16)))
    return found
