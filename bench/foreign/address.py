"""Addresses of servers: loopback, or the far end of a cable."""

from collections.abc import Set as AbstractSet
from ipaddress import IPv4Address, IPv4Network, ip_interface

LOOPBACK = "127.0.0.1"
CABLES = IPv4Network("10.231.0.0/16")
"""Private addresses (RFC 1918), not routed here; the tests' cables use them, too."""
PREFIX = 30
"""Prefix length of a cable's network: two ends, the network address and broadcast."""


def network_of(host: str) -> str:
    """The network that users of a server at this address come from, as `address/length`."""
    if IPv4Address(host).is_loopback:
        return "127.0.0.0/8"
    return str(ip_interface(f"{host}/{PREFIX}").network)


def ends(pid: int, taken: AbstractSet[str]) -> tuple[str, str]:
    """The near and the far end of a cable of a process.

    Processes that start simultaneously get different ones. Raises RuntimeError if all networks have
    one of the taken addresses.
    """
    networks = CABLES.num_addresses // 4
    for step in range(networks):
        first = CABLES.network_address + (pid + step) % networks * 4
        near, far = str(first + 1), str(first + 2)
        if not {near, far} & taken:
            return near, far
    raise RuntimeError(f"all networks of {CABLES} are in use; remove some: ip link")
