"""Limits of criteria on amounts: `500/s`, `30MB/s`, and those of counters, by their unit."""

import re
from collections.abc import Mapping

from headcount.counters.catalogue import Counter, catalogue, lookup
from headcount.errors import InputError
from headcount.fields.mistakes import nearest
from headcount.fields.units import seconds, share, size_bytes

SIDES = ("sut", "server", "generator")
"""Sides whose counters a criterion may name: the server's machine, the server itself, and ours."""

SHORT: Mapping[str, str] = {
    "cpu": "system.cpu.utilization",
    "cpu.busiest": "system.cpu.utilization.busiest",
    "memory.available": "system.linux.memory.available",
    "disk.busy": "system.disk.utilization.busiest",
    "disk.queue": "system.disk.queue_length",
    "network.busy": "system.network.utilization.busiest",
}
"""Short names for the counters that limits are usually put on."""

_PER_S = {"s": 1.0, "min": 60.0, "h": 3600.0}
_RATE = re.compile(r"(\d+(?:\.\d+)?)([km]?)/(s|min|h)")
_THOUSANDS = {"": 1.0, "k": 1e3, "m": 1e6}


def rate_limit(text: str, what: str) -> float:
    """Read a rate such as `500/s`, `1.5k/s` or `300/min`; returns a number per second."""
    match = _RATE.fullmatch(text)
    if match is None:
        raise InputError(f'{what} is "{text}"; write it like 500/s or 300/min')
    number, thousands, unit = match.groups()
    return float(number) * _THOUSANDS[thousands] / _PER_S[unit]


def bytes_limit(text: str, what: str) -> float:
    """Read bytes per second such as `30MB/s`; returns bytes a second."""
    size, per, unit = text.partition("/")
    if not per or unit != "s":
        raise InputError(f'{what} is "{text}"; write it like 30MB/s or 16MiB/s')
    return float(size_bytes(size, what))


def counter_named(name: str, what: str) -> tuple[str, Counter]:
    """The full name of a counter in a criterion, and its entry in the catalogue."""
    full = SHORT.get(name, name)
    entry = lookup(full)
    if entry is None:
        known = [*SHORT, *catalogue()]
        raise InputError(
            f'{what} names no counter that Headcount knows: "{name}"{nearest(name, known)}; '
            f"short names are {', '.join(SHORT)}, and docs/counters.md has all others"
        )
    return full, entry


def counter_limit(text: str, unit: str, what: str) -> float:
    """Read a limit in a counter's own unit (UCUM): `80%` of a share, `50ms`, `2GB`, `400`."""
    if unit == "1":
        return share(text, what)
    if unit == "ms":
        return 1000 * seconds(text, what, bare=False)
    if unit == "By":
        return float(size_bytes(text, what))
    if unit == "By/s":
        return bytes_limit(text, what)
    if unit.endswith("/s") and "/" in text:
        return rate_limit(text, what)
    if re.fullmatch(r"\d+(?:\.\d+)?", text) is None:
        raise InputError(f'{what} is "{text}"; write a number, such as 2 or 400')
    return float(text)
