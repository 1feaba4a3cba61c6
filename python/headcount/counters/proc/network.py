"""Network traffic and TCP, from ``/proc/net/dev``, ``/proc/net/snmp`` and ``/proc/net/netstat``.

Formats: proc(5); https://docs.kernel.org/networking/snmp_counter.html.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from headcount.counters.naming import INTERFACE, instance_name
from headcount.counters.proc.files import integers, put, rate

LOOPBACK = "lo"
ESTABLISHED = "Tcp.CurrEstab"
_EVENTS = {
    "Tcp.RetransSegs": "system.network.tcp.retransmits",
    "TcpExt.ListenOverflows": "system.network.tcp.listen_overflows",
    "TcpExt.ListenDrops": "system.network.tcp.listen_drops",
}
PROTOCOLS = (ESTABLISHED, *_EVENTS)
"""The protocol counters that are read, of the kernel's hundreds: those with a counter here."""
_DIRECTIONS = ("receive", "transmit")


@dataclass(frozen=True, slots=True)
class InterfaceStat:
    """One interface's counters since it came up; each pair is (receive, transmit)."""

    io_bytes: tuple[int, int]
    packets: tuple[int, int]
    errors: tuple[int, int]
    dropped: tuple[int, int]


def parse(text: str) -> dict[str, InterfaceStat]:
    """Parse ``/proc/net/dev`` by interface name."""
    interfaces: dict[str, InterfaceStat] = {}
    for line in text.splitlines():
        name, colon, rest = line.rpartition(":")
        fields = integers(rest.split()[:12])
        if not colon or fields is None or len(fields) < 12:
            continue
        interfaces[name.strip()] = InterfaceStat(
            io_bytes=(fields[0], fields[8]),
            packets=(fields[1], fields[9]),
            errors=(fields[2], fields[10]),
            dropped=(fields[3], fields[11]),
        )
    return interfaces


def parse_protocols(text: str) -> dict[str, int]:
    """Parse ``/proc/net/snmp`` or ``/proc/net/netstat`` to those of :data:`PROTOCOLS`.

    The files hold pairs of lines, names and then values, each starting with the protocol's name.
    """
    counters: dict[str, int] = {}
    lines = text.splitlines()
    for names, numbers in zip(lines[::2], lines[1::2], strict=False):
        if not (places := _places(names)):
            continue
        words = numbers.partition(":")[2].split()
        for name, place in places:
            # Negative counters, such as Tcp's MaxConn without a limit, are none of ours.
            if place < len(words) and words[place].isascii() and words[place].isdigit():
                counters[name] = int(words[place])
    return counters


@lru_cache(maxsize=32)
def _places(names: str) -> tuple[tuple[str, int], ...]:
    """The indexes, in a line of values, of those that have a counter, by the line of names."""
    protocol, _, rest = names.partition(":")
    found = {f"{protocol}.{name}": place for place, name in enumerate(rest.split())}
    return tuple((name, found[name]) for name in PROTOCOLS if name in found)


def gauges(protocols: Mapping[str, int]) -> dict[str, float]:
    """TCP connections established, both ends of a loopback connection counted."""
    values: dict[str, float] = {}
    put(values, "system.network.tcp.connections", protocols.get(ESTABLISHED))
    return values


def delta(
    previous: Mapping[str, InterfaceStat],
    current: Mapping[str, InterfaceStat],
    elapsed_s: float,
    *,
    counted: frozenset[str],
) -> dict[str, float]:
    """Traffic, errors and drops per second of each interface, and of the host over ``counted``.

    ``counted`` names the interfaces that add up to the host's traffic: not the loopback, and none
    stacked on another (bridge, bond, VLAN), which would count the same bytes twice. Interfaces
    without any traffic have no figures of their own, except the loopback, which lab runs use.
    """
    values: dict[str, float] = {}
    pairs = {name: (previous[name], now) for name, now in current.items() if name in previous}
    for name, pair in pairs.items():
        if name != LOOPBACK and not any(pair[1].io_bytes):
            continue
        for family, value in _figures([pair], elapsed_s).items():
            values[instance_name(family, INTERFACE, name)] = value
    host = [pair for name, pair in pairs.items() if name in counted]
    return values | (_figures(host, elapsed_s) if host else {})


def delta_protocols(
    previous: Mapping[str, int], current: Mapping[str, int], elapsed_s: float
) -> dict[str, float]:
    """TCP retransmissions, accept queues that overflowed and connections dropped, per second."""
    values: dict[str, float] = {}
    for key, metric in _EVENTS.items():
        put(values, metric, rate(previous.get(key), current.get(key), elapsed_s))
    return values


def _figures(
    pairs: list[tuple[InterfaceStat, InterfaceStat]], elapsed_s: float
) -> dict[str, float]:
    values: dict[str, float] = {}
    for metric, field in (
        ("system.network.io", "io_bytes"),
        ("system.network.packet.count", "packets"),
        ("system.network.errors", "errors"),
        ("system.network.packet.dropped", "dropped"),
    ):
        for index, direction in enumerate(_DIRECTIONS):
            rates = [
                rate(getattr(was, field)[index], getattr(now, field)[index], elapsed_s)
                for was, now in pairs
            ]
            known = [value for value in rates if value is not None]
            if len(known) == len(rates):
                values[f"{metric}{{network.io.direction={direction}}}"] = sum(known)
    return values
