"""The sockets of a server: which are its own, and their queues at a moment."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from headcount.counters.naming import INTERFACE, instance_name
from headcount.counters.proc.file_locks import FileLocks
from headcount.counters.proc.fine import Gauge, Look
from headcount.counters.proc.process import Process
from headcount.counters.proc.queues import QueueTable
from headcount.counters.proc.serving import Place
from headcount.counters.proc.sockets import Listener, Table, Times, inodes, open_table
from headcount.counters.proc.states import ThreadStates
from headcount.counters.proc.unix_sockets import UnixTable
from headcount.counters.proc.upstream import Upstreams
from headcount.counters.proc.waits import ThreadWaits

_RENEW_S = 30.0
"""How often to look up which listening sockets are the server's: they hardly change."""
_TIMES_EVERY_S = 0.9
"""Times of connections are sums: once a second is enough for their growth."""
_US_PER_S, _US_PER_MS = 1e6, 1e3
_NO_TRIP = 0xFFFF_FFFF
"""The kernel's shortest round trip for a connection without any yet."""
_NEW = Times(0, 0, 0)
Readings = Mapping[int, Times]
"""What TCP has counted, by connection."""
_LENGTHS = {2: 4, 10: 16}
"""Bytes of an address, by its family: AF_INET, AF_INET6."""
_LOOPBACK = "lo"


class OwnListeners:
    """The listening sockets of a tree of processes, or of all processes without a tree.

    Args:
        table: Where sockets are looked up.
        proc: Where procfs is mounted.
        roots: Processes at the root of the tree, None for the sockets of all processes.
        members: Returns the tree's processes as they were last read.
        places: Where the server listens; None for all sockets of the tree.
        clock: Seconds that never run backwards.

    """

    def __init__(
        self,
        table: Table,
        proc: str,
        roots: Sequence[int] | None,
        members: Callable[[], Iterable[Process]],
        places: Sequence[Place] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Look up nothing yet."""
        self.table = table
        self._proc = proc
        self._roots = roots
        self._members = members
        self._places = places
        self._clock = clock
        self._inodes: frozenset[int] = frozenset()
        self._due_s = float("-inf")
        self.latest: list[Listener] = []
        """As they were last read."""

    def read(self) -> list[Listener]:
        """Read the accept queues now; raises OSError if they cannot be read."""
        everybody = self.table.listeners()
        if self._roots is None or self._places:
            self.latest = self._at_places(everybody)
            if self._roots is None or self.latest:
                return self.latest
        own = self._of(everybody)
        if self._clock() >= self._due_s or (self.latest and not own):
            self._due_s = self._clock() + _RENEW_S
            own = self._renewed(everybody)
        self.latest = own
        return own

    def _at_places(self, everybody: list[Listener]) -> list[Listener]:
        """The sockets that accept connections to the server's places; all if none are known."""
        if self._places is None:
            return everybody
        return [one for place in self._places for one in place.of_listeners(everybody)]

    def _renewed(self, everybody: list[Listener]) -> list[Listener]:
        """Look up which are the server's: mostly the roots hold them, else their descendants."""
        self._inodes = inodes(self._proc, self._roots or ())
        if not self._of(everybody):
            self._inodes = inodes(self._proc, [one.pid for one in self._members()])
        own = self._of(everybody)
        self._inodes = frozenset(one.inode for one in own)
        return own

    def _of(self, everybody: list[Listener]) -> list[Listener]:
        return [one for one in everybody if one.inode in self._inodes]


class AcceptQueues:
    """How many connections wait to be accepted."""

    def __init__(self, own: OwnListeners) -> None:
        """Look at nothing yet."""
        self._own = own

    def look(self) -> Iterable[Look]:
        """Read the queues; nothing for a server that does not listen."""
        listeners = self._own.read()
        if not listeners:
            return
        waiting = sum(one.queue for one in listeners)
        yield "socket.accept_queue", "mean", waiting
        yield "socket.accept_queue.max", "max", waiting
        yield "socket.accept_queue.occupied", "share", waiting
        limits = [one.limit for one in listeners if one.limit]
        if limits:
            yield "socket.accept_queue.limit", "last", max(limits)
            # The kernel accepts one connection more than the limit.
            fullest = max(one.queue / one.limit for one in listeners if one.limit)
            yield "socket.accept_queue.utilization", "max", min(1.0, fullest)

    def close(self) -> None:
        """Close the table that all gauges of these sockets share."""
        self._own.table.close()


class ConnectionTimes:
    """TCP's counters of connections: what held them up, the round trip, and losses.

    Args:
        figures: Computes figures from two readings, and the seconds between.
        read: Reads the times of all connections, for use without `ConnectionQueues`.
        clock: Seconds that never run backwards.

    """

    def __init__(
        self,
        figures: Callable[[Readings, Readings, float], Mapping[str, float]],
        read: Callable[[], Readings | None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Look at nothing yet."""
        self._figures = figures
        self._read = read
        self._clock = clock
        self._previous: tuple[float, Readings] | None = None

    def look(self) -> Iterable[Look]:
        """Compare with the reading of a second before."""
        return self.compared(self._clock(), self._read()) if self.is_due() else ()

    def is_due(self) -> bool:
        """Whether the last reading is a second old."""
        return self._previous is None or self._clock() - self._previous[0] >= _TIMES_EVERY_S

    def compared(self, at_s: float, now: Readings | None) -> Iterable[Look]:
        """Figures of a reading and the previous one; a reading is None if times are unavailable."""
        was, self._previous = self._previous, None if now is None else (at_s, now)
        if was is None or now is None:
            return ()
        found = self._figures(was[1], now, at_s - was[0])
        return [(name, "mean", value) for name, value in found.items()]

    def close(self) -> None:
        """Nothing is held."""


class ConnectionQueues:
    """Bytes waiting in connections: to be acknowledged, and to be read by the server.

    Args:
        own: The server's listening sockets.
        times: Takes the times of the same connections; None to leave them out.
        clock: Seconds that never run backwards.

    """

    def __init__(
        self,
        own: OwnListeners,
        times: ConnectionTimes | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Look at nothing yet."""
        self._own = own
        self._times = times
        self._clock = clock

    def look(self) -> Iterable[Look]:
        """Read the queues of the connections that the listening sockets accepted."""
        if not self._own.latest:
            return
        if self._times is not None and self._times.is_due():
            at_s = self._clock()
            queues, times = self._own.table.queues_and_times(self._own.latest)
            yield from self._times.compared(at_s, times)
        else:
            queues = self._own.table.queues(self._own.latest)
        yield "socket.connections", "mean", queues.connections
        yield "socket.send_queue", "mean", queues.sent_bytes
        yield "socket.receive_queue", "mean", queues.received_bytes
        if queues.connections:
            yield "socket.send_queue.share", "mean", queues.sending / queues.connections
            yield "socket.receive_queue.share", "mean", queues.unread / queues.connections

    def close(self) -> None:
        """Nothing is held."""


def of_server(previous: Readings, current: Readings, elapsed_s: float) -> dict[str, float]:
    """All figures of the connections that a server accepted."""
    found = shares(previous, current, elapsed_s) | of_network(previous, current, elapsed_s)
    if current:
        found["socket.segment"] = sum(one.segment for one in current.values()) / len(current)
    return found


def of_network(previous: Readings, current: Readings, elapsed_s: float) -> dict[str, float]:
    """Effects of the network on connections: round trip in ms, segments sent and lost per second.

    A new connection counts from its start; the traffic of one that has ended is unknown.
    """
    found: dict[str, float] = {}
    trips = [one.round_trip for one in current.values() if 0 < one.round_trip < _NO_TRIP]
    if trips:
        found["socket.round_trip"] = sum(trips) / len(trips) / _US_PER_MS
    if current and elapsed_s > 0:
        pairs = [(previous.get(key, _NEW), now) for key, now in current.items()]
        sent = sum(max(now.segments_out - was.segments_out, 0) for was, now in pairs)
        lost = sum(max(now.lost - was.lost, 0) for was, now in pairs)
        found["socket.segments"] = sent / elapsed_s
        found["socket.segments.lost"] = lost / elapsed_s
    return found


def shares(
    previous: Readings,
    current: Readings,
    elapsed_s: float,
) -> dict[str, float]:
    """Shares of time, the mean over connections in both readings; empty without any."""
    pairs = [(previous[key], now) for key, now in current.items() if key in previous]
    if not pairs or elapsed_s <= 0:
        return {}
    names = ("socket.busy", "socket.rwnd_limited", "socket.sndbuf_limited")
    span_us = elapsed_s * _US_PER_S
    return {
        name: sum(min(max(0, now[place] - was[place]) / span_us, 1.0) for was, now in pairs)
        / len(pairs)
        for place, name in enumerate(names)
    }


class NetworkQueues:
    """Packets waiting in the queueing disciplines of the interfaces.

    Each interface has its figures. The host's are of the interfaces that the server listens on, if
    it names their addresses: it does not wait for traffic on others.
    """

    def __init__(
        self,
        table: QueueTable,
        own: OwnListeners | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Look at nothing yet."""
        self._table = table
        self._own = own
        self._clock = clock
        self._through: frozenset[str] | None = None
        self._due_s = float("-inf")

    def look(self) -> Iterable[Look]:
        """Read the queues; nothing if no interface has one."""
        queues = self._table.read()
        if not queues:
            return
        family, occupied = "system.network.queue.backlog", "system.network.queue.occupied"
        for name, queue in queues.items():
            yield instance_name(family, INTERFACE, name), "mean", queue.backlog_bytes
            yield instance_name(occupied, INTERFACE, name), "share", queue.backlog_bytes
        if self._clock() >= self._due_s:
            self._through = self._found()
            # Looked up again each time until the server has been seen listening.
            settled = self._own is None or bool(self._own.latest)
            self._due_s = self._clock() + _RENEW_S if settled else float("-inf")
        through = self._through
        total = sum(
            queue.backlog_bytes
            for name, queue in queues.items()
            if through is None or name in through
        )
        yield family, "mean", total
        yield occupied, "share", total

    def _found(self) -> frozenset[str] | None:
        """The interfaces whose addresses the server listens on; None if it listens on any."""
        listeners = self._own.latest if self._own is not None else []
        wanted = {one.address[: _LENGTHS.get(one.family, 16)] for one in listeners}
        if not wanted or any(not any(address) for address in wanted):
            return None
        known = self._table.addresses()
        names = {address: known.get(address) for address in wanted}
        # All of 127.0.0.0/8 is the loopback's, whatever addresses it is given.
        names |= {one: _LOOPBACK for one in wanted if len(one) == 4 and one[0] == 127}
        found = [name for name in names.values() if name is not None]
        return frozenset(found) if len(found) == len(names) else None

    def close(self) -> None:
        """Close the table."""
        self._table.close()


def gauges_of(
    proc: str,
    roots: Sequence[int] | None,
    namespace: str | None,
    members: Callable[[], Iterable[Process]],
    places: Sequence[Place] | None = None,
) -> list[Gauge]:
    """All gauges of a server's sockets, as far as the kernel permits.

    Args:
        proc: Where procfs is mounted.
        roots: Processes at the root of its tree, None where there is no tree.
        namespace: The file of its network namespace, None for our own.
        members: Tells the tree's processes as they were last read.
        places: Where it listens, None where that is not known.

    """
    first = roots[0] if roots else None
    own = OwnListeners(open_table(proc, first, namespace), proc, roots, members, places)
    gauges: list[Gauge] = [
        AcceptQueues(own),
        ConnectionQueues(own, ConnectionTimes(of_server)),
    ]
    if proc == "/proc":
        with suppress(OSError):
            gauges.append(NetworkQueues(QueueTable(namespace), own))
    if roots is not None:
        gauges += [ThreadStates(proc, members), ThreadWaits(proc, members)]
        gauges.append(FileLocks(proc, members))
        unix = None
        with suppress(OSError):
            unix = UnixTable(namespace)
        gauges.append(Upstreams(own.table, proc, members, unix))
    return gauges
