"""Queueing disciplines of network interfaces, over rtnetlink.

Outgoing packets wait there if the interface, or a limit set on it, is the bottleneck. Formats: the
kernel's ``include/uapi/linux`` (rtnetlink.h, pkt_sched.h, gen_stats.h); tc(8).
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from headcount.counters.naming import INTERFACE, instance_name
from headcount.counters.proc.files import put, rate
from headcount.counters.proc.netlink import Netlink, attributes, messages

_GET_LINK, _GET_ADDRESS, _GET_QDISC = 18, 22, 38
_LINK_BYTES, _ADDRESS_BYTES, _QDISC_BYTES = 16, 8, 20
_NAME = 3
"""IFLA_IFNAME."""
_OF_PEER, _OWN_ADDRESS = 1, 2
"""IFA_ADDRESS, which of point-to-point links is the peer's, and IFA_LOCAL."""
_KIND, _OPTIONS, _STATS = 1, 2, 7
"""TCA_KIND, TCA_OPTIONS, TCA_STATS2."""
_STATS_QUEUE = 3
_QUEUE = struct.Struct("=IIIII")
"""gnet_stats_queue: packets waiting, bytes waiting, drops, requeues, overlimits."""
_ROOT = 0xFFFFFFFF
_TBF_PARAMETERS, _RATE_AT = 1, 8
"""TCA_TBF_PARMS, and where in it the rate in bytes per second stands."""
_QUEUE_OF_NOTHING = "noqueue"
_NOTHING = struct.pack("=HH8s", 12, _KIND, _QUEUE_OF_NOTHING.encode())
"""How the attributes of one begin: most virtual interfaces have it, and the rest is not read."""


@dataclass(frozen=True, slots=True)
class Queue:
    """An interface's queueing discipline.

    Attributes:
        backlog_bytes: What waits now.
        dropped: Packets dropped since it was created.
        overlimits: Times packets were held back by a limit since it was created.
        rate_limit: Bytes per second that a token bucket filter passes, None for others.

    """

    backlog_bytes: int
    dropped: int
    overlimits: int
    rate_limit: int | None


class QueueTable:
    """The queueing disciplines of a network namespace; raises OSError without an answer."""

    def __init__(self, namespace: str | None) -> None:
        """Open a socket there."""
        self._netlink = Netlink(0, namespace)
        self._names: dict[int, str] = {}

    def read(self) -> dict[str, Queue]:
        """Read the queue at the root of each interface that has one, by interface."""
        found = list(self._queues())
        if any(index not in self._names for index, _ in found):
            self._names = dict(self._links())
        return {self._names[index]: queue for index, queue in found if index in self._names}

    def addresses(self) -> dict[bytes, str]:
        """The interface of each address: 4 bytes of IPv4, 16 of IPv6."""
        names = dict(self._links())
        found: dict[bytes, str] = {}
        for buffer in self._netlink.dump(_GET_ADDRESS, bytes(_ADDRESS_BYTES)):
            for content in messages(buffer):
                if len(content) < _ADDRESS_BYTES:
                    continue
                (index,) = struct.unpack_from("=I", content, 4)
                own = dict(attributes(content, _ADDRESS_BYTES))
                address = own.get(_OWN_ADDRESS, own.get(_OF_PEER))
                if address is not None and index in names:
                    found[address] = names[index]
        return found

    def close(self) -> None:
        """Close the socket."""
        self._netlink.close()

    def _queues(self) -> Iterator[tuple[int, Queue]]:
        for buffer in self._netlink.dump(_GET_QDISC, bytes(_QDISC_BYTES)):
            for content in messages(buffer):
                if len(content) < _QDISC_BYTES:
                    continue
                _, index, _, parent, _ = struct.unpack_from("=B3xiIII", content)
                queue = parse(content[_QDISC_BYTES:]) if parent == _ROOT else None
                if queue is not None:
                    yield index, queue

    def _links(self) -> Iterator[tuple[int, str]]:
        for buffer in self._netlink.dump(_GET_LINK, bytes(_LINK_BYTES)):
            for content in messages(buffer):
                name = dict(attributes(content, _LINK_BYTES)).get(_NAME)
                if name is not None:
                    (index,) = struct.unpack_from("=i", content, 4)
                    yield index, name.rstrip(b"\0").decode("utf-8", "replace")


def parse(message: bytes) -> Queue | None:
    """Parse the attributes of a queueing discipline; None for one that never queues."""
    if message.startswith(_NOTHING):
        return None
    values = dict(attributes(message))
    kind = values.get(_KIND, b"").rstrip(b"\0").decode("ascii", "replace")
    queue = dict(attributes(values.get(_STATS, b""))).get(_STATS_QUEUE, b"")
    if kind == _QUEUE_OF_NOTHING or len(queue) < _QUEUE.size:
        return None
    _, backlog, dropped, _, overlimits = _QUEUE.unpack_from(queue)
    limit = None
    if kind == "tbf":
        parameters = dict(attributes(values.get(_OPTIONS, b""))).get(_TBF_PARAMETERS, b"")
        if len(parameters) >= _RATE_AT + 4:
            (limit,) = struct.unpack_from("=I", parameters, _RATE_AT)
    return Queue(backlog, dropped, overlimits, limit)


def gauges(queues: Mapping[str, Queue]) -> dict[str, float]:
    """Rate limits that are set on interfaces."""
    values: dict[str, float] = {}
    for name, queue in queues.items():
        put(values, instance_name("system.network.queue.rate", INTERFACE, name), queue.rate_limit)
    limits = [queue.rate_limit for queue in queues.values() if queue.rate_limit is not None]
    if limits:
        values["system.network.queue.rate"] = min(limits)
    return values


def delta(
    previous: Mapping[str, Queue], current: Mapping[str, Queue], elapsed_s: float
) -> dict[str, float]:
    """Drops and packets held back per second, of each interface and of all together."""
    values: dict[str, float] = {}
    for family, field in (
        ("system.network.queue.dropped", "dropped"),
        ("system.network.queue.overlimits", "overlimits"),
    ):
        rates = []
        for name, now in current.items():
            if name in previous:
                grown = rate(getattr(previous[name], field), getattr(now, field), elapsed_s)
                put(values, instance_name(family, INTERFACE, name), grown)
                rates += [] if grown is None else [grown]
        put(values, family, sum(rates) if rates else None)
    return values
