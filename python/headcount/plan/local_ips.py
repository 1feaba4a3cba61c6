"""Addresses of the generator's machines that users connect from, as named in a plan."""

import ipaddress
from collections.abc import Iterator, Sequence

from headcount.errors import InputError

MOST = 4096
"""Most addresses: each is tried before a run."""
_FORMS = "give addresses, ranges or networks, as in 10.0.0.11,10.0.0.20-10.0.0.29,10.0.1.0/28"

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def addresses(named: Sequence[str]) -> list[Address]:
    """All addresses of `named`, each once, in their order.

    A part is an address, a range `FIRST-LAST` or a network, which stands for its host addresses.
    Raises InputError.
    """
    found: dict[Address, None] = {}
    for text in named:
        for address in _addresses(text):
            found[address] = None
            if len(found) > MOST:
                raise InputError(f"--local-ips names more than {MOST:,} addresses")
    return list(found)


def _addresses(text: str) -> Iterator[Address]:
    try:
        if "/" in text:
            return iter(ipaddress.ip_network(text).hosts())
        first, dash, last = text.partition("-")
        low = ipaddress.ip_address(first.strip())
        return _range(low, ipaddress.ip_address(last.strip()) if dash else low)
    except (ValueError, TypeError) as error:
        raise InputError(f'--local-ips: "{text}": {error}; {_FORMS}') from error


def _range(first: Address, last: Address) -> Iterator[Address]:
    if type(first) is not type(last) or int(last) < int(first):
        raise ValueError(f"{last} does not come after {first}")
    kind = type(first)
    return (kind(number) for number in range(int(first), int(last) + 1))
