"""TCP sockets: listening ones with their accept queues, and the connections that they accepted.

The figures come from the kernel's ``inet_diag`` over netlink, which is fast and filters connections
by port, or if that is not allowed, from the text of ``/proc/net/tcp``.
Format of the text: https://docs.kernel.org/networking/proc_net_tcp.html.
"""

import os
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from headcount.counters.proc.files import read_text
from headcount.counters.proc.inet_diag import BYTECODE, INFO, listening_in, port_filter, runs
from headcount.counters.proc.kept_files import KeptFiles
from headcount.counters.proc.netlink import Netlink, attribute
from headcount.counters.proc.network import ESTABLISHED, parse_protocols
from headcount.counters.proc.talk import Talk

_INET, _INET6 = 2, 10
_GET_SOCKETS = 18
"""TCPDIAG_GETSOCK: the older request, the only one that covers both families."""
_WITH_INFO = 1 << (INFO - 1)
_ESTABLISHED, _SYN_SENT, _LISTEN = 1, 2, 10


class Listener(NamedTuple):
    """A listening socket; the address is 16 bytes, of IPv4 the first four."""

    inode: int
    family: int
    address: bytes
    port: int
    queue: int
    limit: int | None


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A connection that a program opened.

    Attributes:
        inode: Of its socket.
        family: AF_INET or AF_INET6.
        peer: The other end's address: 16 bytes, of IPv4 the first four.
        peer_port: The other end's port.
        is_waiting: Whether the other end owes an answer, or has not yet accepted the connection.

    """

    inode: int
    family: int
    peer: bytes
    peer_port: int
    is_waiting: bool


@dataclass(frozen=True, slots=True)
class Queues:
    """Bytes that wait in the connections of a server, and how many connections have any."""

    connections: int
    sent_bytes: int
    sending: int
    received_bytes: int
    unread: int


class Times(NamedTuple):
    """What TCP has counted of a connection.

    Attributes:
        busy, by_receiver, by_buffer: Microseconds with something to send, and those of them held up
            by the receiver's window or by the send buffer.
        segment: Bytes of a full segment.
        round_trip: The shortest round trip in microseconds; 0 if there was none yet.
        segments_out: Segments with data that were sent, those sent again included.
        resent: Segments that were sent again.
        duplicates: Of those, the ones that the other end already had.

    """

    busy: int
    by_receiver: int
    by_buffer: int
    segment: int = 0
    round_trip: int = 0
    segments_out: int = 0
    resent: int = 0
    duplicates: int = 0

    @property
    def lost(self) -> int:
        """Segments that the network lost: those sent again that had not arrived."""
        return max(self.resent - self.duplicates, 0)


Address = tuple[int, bytes, int]
"""Family, address in 16 bytes, port."""
Row = tuple[int, int, bytes, int, int, int, int]
"""A socket: family, state, address, port, bytes to send, bytes to read, inode."""


class Table(Protocol):
    """A source of sockets. All methods raise OSError if it cannot be read."""

    def listeners(self) -> list[Listener]:
        """All listening sockets."""
        ...

    def queues(self, listeners: Sequence[Listener]) -> Queues:
        """What waits in the connections that these took up."""
        ...

    def queues_and_times(
        self, listeners: Sequence[Listener]
    ) -> tuple[Queues, Mapping[int, Times] | None]:
        """Queues and times of the same connections; times by connection, None if unavailable."""
        ...

    def outgoing(self, inodes: frozenset[int]) -> list[Outgoing] | None:
        """The sockets among these that are connected to others; None if waits are unknown."""
        ...

    def close(self) -> None:
        """Let go of what is held."""
        ...


class DiagTable:
    """Sockets of a network namespace, by ``inet_diag``."""

    def __init__(self, namespace: str | None) -> None:
        """Open a socket there; raises OSError if that is refused."""
        self._netlink = Netlink(4, namespace)
        # A namespace's file is PID/ns/net.
        self._protocols = "/proc/net/snmp" if namespace is None else f"{namespace[:-6]}net/snmp"
        self._files = KeptFiles()

    def listeners(self) -> list[Listener]:
        """All listening sockets."""
        return [
            Listener._make(one)
            for buffer in self._answers(1 << _LISTEN)
            for one in listening_in(buffer)
        ]

    def queues(self, listeners: Sequence[Listener]) -> Queues:
        """What waits in the connections that these took up."""
        return _queues(self._connections(listeners))

    def queues_and_times(self, listeners: Sequence[Listener]) -> tuple[Queues, Mapping[int, Times]]:
        """Queues and times in one request: for each, the kernel walks its whole table."""
        rows = list(self._connections(listeners, extension=_WITH_INFO))
        found: dict[int, Times] = {}
        for each in rows:
            found |= _times(each)
        return _queues(rows), found

    def times_to(self, places: Sequence[Address]) -> Mapping[int, Times]:
        """Times of all connections of this machine to these addresses, by connection."""
        found: dict[int, Times] = {}
        if not self._is_idle():
            code = port_filter(sorted({port for _, _, port in places}), of_peer=True)
            for rows in self._rows(1 << _ESTABLISHED, _WITH_INFO, code):
                found |= _times(rows[_to(places, rows)])
        return found

    def outgoing(self, inodes: frozenset[int]) -> list[Outgoing]:
        """Those of these sockets that are connected to others.

        A socket whose port somebody listens on was accepted there, so it is not outgoing.
        """
        listening = self.listeners()
        if inodes <= {one.inode for one in listening}:
            return []
        wanted = np.array(sorted(inodes), dtype=np.uint32)
        ports = np.array(sorted({one.port for one in listening}), dtype=np.uint16)
        found = []
        for rows in self._rows(1 << _ESTABLISHED | 1 << _SYN_SENT, _WITH_INFO):
            own = np.isin(rows["inode"], wanted) & ~np.isin(rows["port"], ports)
            found += [_outgoing(row) for row in rows[own]]
        return found

    def close(self) -> None:
        """Close the socket."""
        self._netlink.close()
        self._files.close()

    def _is_idle(self) -> bool:
        """Whether no connection is established, so that the kernel's table need not be walked."""
        counted = parse_protocols(self._files.text(self._protocols) or "")
        return counted.get(ESTABLISHED) == 0

    def _connections(
        self, listeners: Sequence[Listener], extension: int = 0
    ) -> Iterator[np.ndarray[Any, Any]]:
        if not listeners or self._is_idle():
            return
        code = port_filter(sorted({one.port for one in listeners}))
        for rows in self._rows(1 << _ESTABLISHED, extension, code):
            yield rows[_of(listeners, rows)]

    def _rows(
        self, states: int, extension: int = 0, code: bytes = b""
    ) -> Iterator[np.ndarray[Any, Any]]:
        for buffer in self._answers(states, extension, code):
            yield from runs(buffer)

    def _answers(self, states: int, extension: int = 0, code: bytes = b"") -> Iterator[bytes]:
        """Answers for both families: a request without a family walks the table only once."""
        request = struct.pack("=3xB48xII", extension, states, 0)
        if code:
            request += attribute(BYTECODE, code)
        return self._netlink.dump(_GET_SOCKETS, request)


class ProcTable:
    """Sockets by the text of ``/proc/PID/net/tcp`` and ``tcp6``: slow with many connections."""

    def __init__(self, net: str) -> None:
        """Read below this folder."""
        self._net = net

    def listeners(self) -> list[Listener]:
        """All listening sockets; the text has no limits of their queues."""
        return [
            Listener(inode, family, address, port, received, None)
            for family, state, address, port, _, received, inode in self.sockets()
            if state == _LISTEN
        ]

    def queues(self, listeners: Sequence[Listener]) -> Queues:
        """What waits in the connections that these took up."""
        places = {(one.family, one.port, one.address) for one in listeners}
        connections = sent_bytes = sending = received_bytes = unread = 0
        for family, state, address, port, sent, received, _ in self.sockets():
            if state != _ESTABLISHED or not (
                (family, port, address) in places or (family, port, bytes(16)) in places
            ):
                continue
            connections += 1
            sent_bytes += sent
            sending += sent > 0
            received_bytes += received
            unread += received > 0
        return Queues(connections, sent_bytes, sending, received_bytes, unread)

    def queues_and_times(self, listeners: Sequence[Listener]) -> tuple[Queues, None]:
        """The queues, and None: the text has no times."""
        return self.queues(listeners), None

    def outgoing(self, inodes: frozenset[int]) -> None:
        """Always None: the text does not show who owes an answer."""
        del inodes

    def close(self) -> None:
        """Nothing is held."""

    def sockets(self) -> Iterator[Row]:
        """All sockets, as :func:`parse` has them."""
        texts = [
            (family, read_text(f"{self._net}/{name}"))
            for family, name in ((_INET, "tcp"), (_INET6, "tcp6"))
        ]
        if all(text is None for _, text in texts):
            raise FileNotFoundError(f"{self._net}/tcp")
        for family, text in texts:
            yield from parse(text or "", family)


def parse(text: str, family: int) -> Iterator[Row]:
    """Parse ``/proc/net/tcp``: family, state, address, port, bytes to send, to read, inode.

    The kernel writes it a piece at a time. While connections come and go, a piece may begin with
    one that ended the piece before: each counts once.
    """
    seen: set[tuple[str, ...]] = set()
    for line in text.splitlines()[1:]:
        words = line.split(maxsplit=10)
        try:
            both_ends = (words[1], words[2], words[9])
            if both_ends in seen:
                continue
            seen.add(both_ends)
            address, _, port = words[1].partition(":")
            sent, _, received = words[4].partition(":")
            # Each 32 bits of an address are written as a number in the machine's byte order.
            yield (
                family,
                int(words[3], 16),
                b"".join(
                    struct.pack("=I", int(address[at : at + 8], 16))
                    for at in range(0, len(address), 8)
                ).ljust(16, b"\0"),
                int(port, 16),
                int(sent, 16),
                int(received, 16),
                int(words[9]),
            )
        except (IndexError, ValueError):
            continue  # torn while connections came and went


def open_table(proc: str, pid: int | None, namespace: str | None) -> Table:
    """Open the faster available table for the namespace of a process, or our own."""
    text = ProcTable(f"{proc}/{pid}/net" if pid is not None else f"{proc}/net")
    if proc != "/proc":  # a test machine has no kernel to query
        return text
    table = None
    try:
        table = DiagTable(namespace)
        table.listeners()
    except OSError:
        if table is not None:
            table.close()
        return text
    return table


def inodes(proc: str, pids: Iterable[int]) -> frozenset[int]:
    """Return the inodes of all sockets that these processes hold open."""
    found = set()
    for pid in pids:
        folder = f"{proc}/{pid}/fd"
        try:
            for name in os.listdir(folder):  # noqa: PTH208 - hot path
                kind, _, inode = os.readlink(f"{folder}/{name}").partition(":[")  # noqa: PTH115
                if kind == "socket":
                    found.add(int(inode.rstrip("]")))
        except (OSError, ValueError):
            continue  # it has ended, or is not readable
    return frozenset(found)


def _of(listeners: Sequence[Listener], rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Mask of the connections that these sockets accepted: same port, and their address or any."""
    wanted = np.zeros(len(rows), dtype=bool)
    for one in listeners:
        high, low = struct.unpack("<QQ", one.address)
        same = (rows["port"] == one.port) & (rows["family"] == one.family)
        if high or low:
            same &= (rows["high"] == high) & (rows["low"] == low)
        wanted |= same
    return wanted


def _to(places: Sequence[Address], rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A mask of the connections to one of these addresses and ports."""
    wanted = np.zeros(len(rows), dtype=bool)
    for family, address, port in places:
        high, low = struct.unpack("<QQ", address)
        same = (rows["peer_port"] == port) & (rows["family"] == family)
        wanted |= same & (rows["peer_high"] == high) & (rows["peer_low"] == low)
    return wanted


def _queues(found: Iterable[np.ndarray[Any, Any]]) -> Queues:
    """The sums over all connections."""
    totals = np.zeros(5, dtype=np.int64)
    for rows in found:
        sent, received = rows["sent"].astype(np.int64), rows["received"].astype(np.int64)
        sending, unread = np.count_nonzero(sent), np.count_nonzero(received)
        totals += np.array([len(rows), sent.sum(), sending, received.sum(), unread])
    return Queues(*(int(total) for total in totals))


def _times(rows: np.ndarray[Any, Any]) -> dict[int, Times]:
    """TCP's counters by connection; empty if the kernel is too old."""
    names = rows.dtype.names or ()
    if "busy" not in names:
        return {}
    missing = [0] * len(rows)
    columns = (rows[name].tolist() if name in names else missing for name in Times._fields)
    return dict(zip(rows["cookie"].tolist(), map(Times, *columns), strict=True))


def _outgoing(row: Any) -> Outgoing:
    """A row as a connection."""
    is_waiting = row["state"] == _SYN_SENT
    if not is_waiting and "segments_out" in (row.dtype.names or ()):
        is_waiting = Talk(*(int(row[name]) for name in Talk._fields)).is_waiting
    peer = struct.pack("<QQ", row["peer_high"], row["peer_low"])
    return Outgoing(
        int(row["inode"]), int(row["family"]), peer, int(row["peer_port"]), bool(is_waiting)
    )
