"""TCP sockets: those that listen, with their accept queues, and the connections behind them.

Two ways to the same figures: the kernel's ``inet_diag`` over netlink, which is quick and picks
connections by their port, and the text of ``/proc/net/tcp`` where that may not be asked.
Formats: the kernel's ``include/uapi/linux/inet_diag.h`` and ``tcp.h`` (``tcp_info``);
https://docs.kernel.org/networking/proc_net_tcp.html.
"""

import os
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from headcount.counters.proc.files import read_text
from headcount.counters.proc.netlink import Netlink, align, attribute

_INET, _INET6 = 2, 10
_TCP = 6
_BY_FAMILY = 20
"""SOCK_DIAG_BY_FAMILY."""
_ESTABLISHED, _LISTEN = 1, 10
_INFO = 2
"""INET_DIAG_INFO: the attribute that holds tcp_info; bit _INFO - 1 of a question asks for it."""
_BYTECODE = 1
_SAME_PORT, _NEVER, _JUMP = 11, 0, 1
"""Operations of the kernel's filter: INET_DIAG_BC_S_EQ, _NOP (which carries a port), _JMP."""
_HEADER_BYTES, _MESSAGE_BYTES = 16, 72
_BUSY_AT = 168
"""Where in tcp_info the times busy, limited by the receiver's window and limited by the send buffer
stand, three of 8 bytes in microseconds (Linux 4.10)."""
_FIELDS = {
    "length": ("<u4", 0),
    "family": ("u1", 16),
    "port": (">u2", 20),
    "high": ("<u8", 24),
    "low": ("<u8", 32),
    "cookie": ("<u8", 60),
    "received": ("<u4", 72),
    "sent": ("<u4", 76),
    "inode": ("<u4", 84),
}
"""Fields of inet_diag_msg behind a netlink header, with their offsets. Of a listening socket
``received`` is the length of the accept queue, ``sent`` its limit."""


@dataclass(frozen=True, slots=True)
class Listener:
    """A listening socket; the address is 16 bytes, of IPv4 the first four."""

    inode: int
    family: int
    address: bytes
    port: int
    queue: int
    limit: int | None


@dataclass(frozen=True, slots=True)
class Queues:
    """What waits in the connections of a server: bytes, and connections that have any."""

    connections: int
    sent_bytes: int
    sending: int
    received_bytes: int
    unread: int


class Table(Protocol):
    """Where sockets are looked up. All methods raise OSError where it cannot be read."""

    def listeners(self) -> list[Listener]:
        """All listening sockets."""
        ...

    def queues(self, listeners: Sequence[Listener]) -> Queues:
        """What waits in the connections that these took up."""
        ...

    def times(self, listeners: Sequence[Listener]) -> Mapping[int, tuple[int, int, int]] | None:
        """Microseconds busy, limited by the receiver and by the send buffer, by connection."""
        ...

    def close(self) -> None:
        """Let go of what is held."""
        ...


class DiagTable:
    """Sockets by ``inet_diag``, of a network namespace."""

    def __init__(self, namespace: str | None) -> None:
        """Open a socket there; raises OSError where that is refused."""
        self._netlink = Netlink(4, namespace)

    def listeners(self) -> list[Listener]:
        """All listening sockets."""
        return [
            Listener(
                int(row["inode"]),
                int(row["family"]),
                struct.pack("<QQ", row["high"], row["low"]),
                int(row["port"]),
                int(row["received"]),
                int(row["sent"]),
            )
            for family in (_INET, _INET6)
            for rows in self._rows(family, _LISTEN)
            for row in rows
        ]

    def queues(self, listeners: Sequence[Listener]) -> Queues:
        """What waits in the connections that these took up."""
        totals = np.zeros(5, dtype=np.int64)
        for rows in self._connections(listeners):
            sent, received = rows["sent"].astype(np.int64), rows["received"].astype(np.int64)
            sending, unread = np.count_nonzero(sent), np.count_nonzero(received)
            totals += np.array([len(rows), sent.sum(), sending, received.sum(), unread])
        return Queues(*(int(total) for total in totals))

    def times(self, listeners: Sequence[Listener]) -> Mapping[int, tuple[int, int, int]]:
        """Microseconds busy, limited by the receiver and by the send buffer, by connection."""
        found: dict[int, tuple[int, int, int]] = {}
        for rows in self._connections(listeners, extension=1 << (_INFO - 1)):
            if "busy" not in (rows.dtype.names or ()):
                continue
            columns = (rows[name].tolist() for name in ("busy", "by_receiver", "by_buffer"))
            found |= zip(rows["cookie"].tolist(), zip(*columns, strict=True), strict=True)
        return found

    def close(self) -> None:
        """Close the socket."""
        self._netlink.close()

    def _connections(
        self, listeners: Sequence[Listener], extension: int = 0
    ) -> Iterator[np.ndarray[Any, Any]]:
        for family in sorted({one.family for one in listeners}):
            own = [one for one in listeners if one.family == family]
            code = _port_filter(sorted({one.port for one in own}))
            for rows in self._rows(family, _ESTABLISHED, extension, code):
                yield rows[_of(own, rows)]

    def _rows(
        self, family: int, state: int, extension: int = 0, code: bytes = b""
    ) -> Iterator[np.ndarray[Any, Any]]:
        request = struct.pack("=BBBxI", family, _TCP, extension, 1 << state) + bytes(48)
        if code:
            request += attribute(_BYTECODE, code)
        for buffer in self._netlink.dump(_BY_FAMILY, request):
            yield from _runs(buffer)


class ProcTable:
    """Sockets by the text of ``/proc/PID/net/tcp`` and ``tcp6``: dear with many connections."""

    def __init__(self, net: str) -> None:
        """Read below this folder."""
        self._net = net

    def listeners(self) -> list[Listener]:
        """All listening sockets; the text has no limits of their queues."""
        return [
            Listener(inode, family, address, port, received, None)
            for family, state, address, port, _, received, inode in self._sockets()
            if state == _LISTEN
        ]

    def queues(self, listeners: Sequence[Listener]) -> Queues:
        """What waits in the connections that these took up."""
        places = {(one.family, one.port, one.address) for one in listeners}
        connections = sent_bytes = sending = received_bytes = unread = 0
        for family, state, address, port, sent, received, _ in self._sockets():
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

    def times(self, listeners: Sequence[Listener]) -> None:
        """The text has no times."""
        del listeners

    def close(self) -> None:
        """Nothing is held."""

    def _sockets(self) -> Iterator[tuple[int, int, bytes, int, int, int, int]]:
        texts = [
            (family, read_text(f"{self._net}/{name}"))
            for family, name in ((_INET, "tcp"), (_INET6, "tcp6"))
        ]
        if all(text is None for _, text in texts):
            raise FileNotFoundError(f"{self._net}/tcp")
        for family, text in texts:
            yield from parse(text or "", family)


def parse(text: str, family: int) -> Iterator[tuple[int, int, bytes, int, int, int, int]]:
    """Parse ``/proc/net/tcp``: family, state, address, port, bytes to send, to read, inode."""
    for line in text.splitlines()[1:]:
        words = line.split(maxsplit=10)
        try:
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
            continue  # a line that was torn while connections came and went


def open_table(proc: str, pid: int | None, namespace: str | None) -> Table:
    """Open the quicker of the two ways for the namespace of a process, or our own."""
    text = ProcTable(f"{proc}/{pid}/net" if pid is not None else f"{proc}/net")
    if proc != "/proc":  # an imagined machine has no kernel to ask
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
            continue  # it ended, or it may not be looked into
    return frozenset(found)


def _port_filter(ports: Sequence[int]) -> bytes:
    """A filter for the kernel that lets pass whatever has one of these local ports.

    Each port is two operations, compare and the port; all but the last are followed by a jump to
    the end, which accepts. Past the end by one operation rejects.
    """
    code = b""
    end = len(ports) * 12 - 4
    for number, port in enumerate(ports):
        code += struct.pack("=BBHBBH", _SAME_PORT, 8, 12, _NEVER, 0, port)
        if number < len(ports) - 1:
            code += struct.pack("=BBH", _JUMP, 4, end - len(code))
    return code


def _of(listeners: Sequence[Listener], rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Which connections one of these took up: same port, and its address or any."""
    wanted = np.zeros(len(rows), dtype=bool)
    for one in listeners:
        high, low = struct.unpack("<QQ", one.address)
        same = rows["port"] == one.port
        if high or low:
            same &= (rows["high"] == high) & (rows["low"] == low)
        wanted |= same
    return wanted


def _runs(buffer: bytes) -> Iterator[np.ndarray[Any, Any]]:
    """Messages of a buffer as arrays, one for each run of messages of the same length."""
    at = 0
    while at + _HEADER_BYTES + _MESSAGE_BYTES <= len(buffer):
        (length,) = struct.unpack_from("<I", buffer, at)
        if length < _HEADER_BYTES + _MESSAGE_BYTES:
            return
        step = align(length)
        dtype = _layout(buffer[at : at + length], step)
        run = np.frombuffer(buffer, dtype, (len(buffer) - at) // step, at)
        others = np.flatnonzero(run["length"] != length)
        run = run[: others[0]] if len(others) else run
        yield run
        at += step * len(run)


def _layout(message: bytes, step: int) -> np.dtype[Any]:
    """Where the fields of a message are, those of tcp_info included where it has them."""
    fields = dict(_FIELDS)
    at = _HEADER_BYTES + _MESSAGE_BYTES
    while at + 4 <= len(message):
        length, kind = struct.unpack_from("=HH", message, at)
        if length < 4:
            break
        if kind == _INFO and length >= 4 + _BUSY_AT + 24:
            for number, name in enumerate(("busy", "by_receiver", "by_buffer")):
                fields[name] = ("<u8", at + 4 + _BUSY_AT + 8 * number)
        at += align(length)
    return np.dtype(
        {
            "names": list(fields),
            "formats": [form for form, _ in fields.values()],
            "offsets": [offset for _, offset in fields.values()],
            "itemsize": step,
        }
    )
