"""The gate of every connection that carries load.

A name is resolved once. Each of its addresses must be this machine's, or somebody must have stated
that the owner agreed; the engine then connects to these addresses and resolves nothing.
"""

import ipaddress
import socket
from collections.abc import Mapping, Sequence

from headcount.errors import InputError, TargetError

CONNECT_S = 3.0
"""Longest wait for one of several addresses: a lost SYN is sent again after 1 s (RFC 6298)."""

_LOOPBACKS: Mapping[str, str] = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  not bound


def allowed(what: str, host: str | None, port: int | None, owner: str | None) -> tuple[str, ...]:
    """The addresses of a name, as `ip:port`, if load may go there.

    A load test of a stranger's server is an attack. For any address but loopback somebody must
    state the `owner` of the machine who agreed. `what` names the server in the error.
    """
    found = addresses(host, port)
    for address in found:
        if not is_loopback(address):
            require_owner(f"{what} {address} is not this machine", owner)
    return found


def addresses(host: str | None, port: int | None) -> tuple[str, ...]:
    """The addresses of a name, each once, as `ip:port` (`[ip]:port` for IPv6); at least one.

    For 0.0.0.0 and ::, at which a server listens on all addresses, those of the loopback.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:  # UnicodeError: a label empty or too long
        raise TargetError(
            f'the name "{host}" of the target cannot be resolved ({error}); check the '
            "spelling, or give its address"
        ) from error
    names = [_LOOPBACKS.get(str(place[0]), str(place[0])) for *_, place in found]
    return tuple(dict.fromkeys(f"[{ip}]:{port}" if ":" in ip else f"{ip}:{port}" for ip in names))


def answering_first(addresses: Sequence[str]) -> tuple[str, ...]:
    """The addresses, beginning with the first that accepts a TCP connection, if one does.

    A name often has an IPv6 address at which a server does not listen, as `localhost` has.
    """
    if len(addresses) < 2:
        return tuple(addresses)
    first = next((address for address in addresses if _is_accepting(address)), addresses[0])
    return (first, *(address for address in addresses if address != first))


def _is_accepting(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        with socket.socket(_family(host), socket.SOCK_STREAM) as asking:
            asking.settimeout(CONNECT_S)
            asking.connect((host.strip("[]"), int(port)))
            return True
    except OSError:
        return False


def with_port(address: str, port: int) -> str:
    """The same machine's `ip:port` at another port."""
    return f"{address.rpartition(':')[0]}:{port}"


def is_loopback(address: str) -> bool:
    """Whether `ip:port` is an address of this machine's loopback."""
    return ipaddress.ip_address(_ip(address)).is_loopback


def is_own(address: str) -> bool:
    """Whether `ip:port` is an address of this machine: packets to it would also come from it."""
    if is_loopback(address):
        return True
    host = _ip(address)
    try:
        with socket.socket(_family(host), socket.SOCK_DGRAM) as asking:
            asking.connect((host, 9))  # nothing is sent
            return str(asking.getsockname()[0]) == host
    except OSError:
        return False


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _ip(address: str) -> str:
    return address.rpartition(":")[0].strip("[]").partition("%")[0]


def require_owner(what: str, owner: str | None) -> None:
    """Refuse load until somebody states that its owner agreed; `what` names the machine."""
    if not (owner or "").strip():
        raise InputError(
            f"{what}, and nobody has said who allowed the load: give --authorised-by with the "
            "name of the owner who agreed (or set HEADCOUNT_AUTHORISED_BY); what a plan or a "
            "bundle says of that does not count. Load on a server without its owner's consent is "
            "an attack"
        )
