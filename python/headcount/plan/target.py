"""Targets: the address of the system under test, or a disposable server of the lab."""

import ipaddress
import re
import socket
from dataclasses import dataclass

from headcount.errors import InputError, TargetError
from headcount.plan.mistakes import nearest

PROTOCOLS = ("app",)
LAB = ("app",)


@dataclass(frozen=True, slots=True)
class Target:
    """Where the system under test is.

    `protocol` plays the workload; `host` and `port` are None for a server of the lab, which gets
    its address when it starts.
    """

    text: str
    protocol: str
    lab: str | None
    host: str | None
    port: int | None


def parse(text: str) -> Target:
    """Read `lab:NAME` or `app://host:port`."""
    if text.startswith("lab:"):
        name = text.removeprefix("lab:")
        if name not in LAB:
            raise InputError(
                f'the lab has no server "{name}"{nearest(name, list(LAB))} '
                f"(it has: {', '.join(f'lab:{n}' for n in LAB)})"
            )
        return Target(text, name, name, None, None)
    scheme = re.match(r"([a-zA-Z][\w+.-]*)://", text)
    if scheme is not None and scheme[1] not in PROTOCOLS:
        raise InputError(
            f'the target "{text}": there is no protocol "{scheme[1]}"'
            f"{nearest(scheme[1], list(PROTOCOLS))} "
            f"(there is: {', '.join(f'{name}://host:port' for name in PROTOCOLS)})"
        )
    match = re.fullmatch(r"([a-z]+)://(\[[0-9a-fA-F:]+\]|[^/:@\[\]\s]+):(\d+)/?", text)
    if match is None:
        raise InputError(
            f'the target "{text}" cannot be read; targets look like lab:app, app://host:port or '
            "app://[::1]:port"
        )
    if not 0 < int(match[3]) < 65536:
        raise InputError(f'the target "{text}": the port must be from 1 to 65535')
    return Target(text.rstrip("/"), match[1], None, match[2].strip("[]"), int(match[3]))


def resolve(target: Target) -> str:
    """The address of a target that is not of the lab, as `ip:port` (`[ip]:port` for IPv6)."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:  # UnicodeError: a label empty or too long
        raise TargetError(
            f'the name "{target.host}" of the target cannot be resolved ({error}); '
            "check the spelling, or give its address"
        ) from error
    address = str(found[0][4][0])
    return f"[{address}]:{target.port}" if ":" in address else f"{address}:{target.port}"


def is_here(target: Target) -> bool:
    """Whether a target shares this machine, as far as its name tells."""
    if target.lab is not None or target.host == "localhost":
        return True
    try:
        return ipaddress.ip_address(target.host or "").is_loopback
    except ValueError:
        return False


def is_loopback(address: str) -> bool:
    """Whether `ip:port` is an address of this machine's loopback."""
    return ipaddress.ip_address(address.rsplit(":", 1)[0].strip("[]")).is_loopback


def check_authorised(address: str, authorised_by: str | None) -> None:
    """Refuse load on a machine that nobody has answered for.

    A load test of a stranger's server is an attack. For any address but loopback the plan must say
    who owns the target and agreed: `authorised_by = "..."` or `--authorised-by`.
    """
    if not is_loopback(address) and not (authorised_by or "").strip():
        raise InputError(
            f"the target {address} is not this machine, and the plan does not say who allowed the "
            'load: add authorised_by = "name of the owner who agreed" to the plan, or give '
            "--authorised-by. Load on a server without its owner's consent is an attack"
        )
