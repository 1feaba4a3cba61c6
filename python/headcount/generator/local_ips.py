"""The users' addresses that this machine has, and whether the target is reached from them."""

import socket
from collections.abc import Sequence
from functools import cache
from ipaddress import ip_address

from headcount.errors import MachineLimitError
from headcount.plan.local_ips import Address, addresses

CONNECT_S = 5.0


@cache
def own_addresses(named: tuple[str, ...]) -> list[Address]:
    """Those that this machine has; empty if none are named.

    Raises MachineLimitError if some are named and it has none of them.
    """
    found = [one for one in addresses(named) if _is_own(one)]
    if named and not found:
        raise MachineLimitError(
            f"this machine has none of the addresses of --local-ips {','.join(named)}; "
            "`ip -brief address` shows which it has, `ip address add` gives it more"
        )
    return found


def users_addresses(
    named: Sequence[str], on_lines: Sequence[str], places: Sequence[str]
) -> list[Address]:
    """The addresses that users connect from, for the engine; empty leaves it to the system.

    `named` are addresses as a plan names them, `places` the `ip:port`s that each must reach;
    `on_lines` are those of the plan's lines, whose routes are the run's own.

    Raises MachineLimitError if this machine has none that are named, or one reaches nothing.
    """
    if on_lines:
        return [ip_address(one) for one in on_lines]
    found = own_addresses(tuple(named))
    check_routes(found, places)
    return found


def check_routes(local: Sequence[Address], places: Sequence[str]) -> None:
    """Connect once from each address to the first place of its family, an `ip:port`.

    Raises MachineLimitError with the address from which the place is not reached, or if none is of
    the family of a place: users would connect from none of them.
    """
    parted = [_parted(one) for one in places]
    versions = {ip_address(host).version for host, _ in parted}
    if local and versions and versions.isdisjoint(one.version for one in local):
        mine, theirs = (f"IPv{one}" for one in (local[0].version, min(versions)))
        raise MachineLimitError(
            f"--local-ips names only {mine} addresses, and the target has {theirs} ({places[0]}): "
            f"name addresses of {theirs}"
        )
    for address in local:
        fitting = [one for one in parted if ip_address(one[0]).version == address.version]
        for host, port in fitting[:1]:
            try:
                socket.create_connection((host, port), CONNECT_S, (str(address), 0)).close()
            except OSError as error:
                why = error.strerror or "no answer"
                raise MachineLimitError(
                    f"cannot reach {host} port {port} from {address} ({why}): give it a route, "
                    "or leave it out of --local-ips"
                ) from error


def _parted(place: str) -> tuple[str, int]:
    host, _, port = place.rpartition(":")
    return host.strip("[]").partition("%")[0], int(port)


def _is_own(address: Address) -> bool:
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as tried:
        try:
            tried.bind((str(address), 0))
        except OSError:
            return False
    return True
