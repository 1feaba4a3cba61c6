"""The kernel's memory of the sockets of a server: what it holds for each connection.

Read with ``inet_diag``. A socket's memory is unread data (``rmem_alloc``), written but not yet
acknowledged data (``wmem_queued``) and its reserve (``fwd_alloc``); in bytes of buffers with their
overhead, as the kernel itself accounts for them. Formats: the kernel's
``include/uapi/linux/inet_diag.h``, ``sock_diag.h`` (SK_MEMINFO) and ``tcp.h`` (``tcp_info``).
"""

import ipaddress
import statistics
import struct
from dataclasses import dataclass

from headcount.counters.proc.netlink import SOCK_DIAG, Netlink, attributes, messages

_GET_SOCKETS = 18
"""TCPDIAG_GETSOCK: of both families."""
_STATES = sum(1 << state for state in (1, 4, 5, 8, 9, 11))
"""Established and closing: whatever may hold data. TIME_WAIT holds none."""
_INFO, _MEMORY = 2, 7
"""INET_DIAG_INFO and INET_DIAG_SKMEMINFO; bit N - 1 of a request asks for attribute N."""
_ASKED = 1 << (_INFO - 1) | 1 << (_MEMORY - 1)
_MESSAGE_BYTES = 72
_FIGURES = struct.Struct("=6I")
"""SK_MEMINFO: rmem_alloc, rcvbuf, wmem_alloc, sndbuf, fwd_alloc, wmem_queued."""
_ROUND_TRIP = struct.Struct("=I")
_ROUND_TRIP_AT = 148
"""Offset of the shortest round trip, in microseconds, in tcp_info."""
_INET = 2
_UNKNOWN_US = 0xFFFF_FFFF


@dataclass(frozen=True, slots=True)
class SocketMemory:
    """The sockets of a server at one moment.

    Attributes:
        sockets: Their number, without listening ones.
        memory_bytes: Memory that the kernel holds for all of them.
        round_trip_s: The median of their shortest round trips; None if there was none yet.

    """

    sockets: int
    memory_bytes: int
    round_trip_s: float | None


class SocketTable:
    """The sockets of the network namespace in which this object was made."""

    def __init__(self) -> None:
        """Open a netlink socket; raises OSError if that is refused."""
        self._netlink = Netlink(SOCK_DIAG)

    def read(self, address: str) -> SocketMemory:
        """Read the sockets whose local end is this IPv4 address; raises OSError."""
        question = struct.pack("=3xB48xII", _ASKED, _STATES, 0)
        found = [
            content
            for buffer in self._netlink.dump(_GET_SOCKETS, question)
            for content in messages(buffer)
        ]
        return sums(found, address)

    def close(self) -> None:
        """Close the netlink socket."""
        self._netlink.close()


def sums(contents: list[bytes], address: str) -> SocketMemory:
    """The sums over messages, without headers, about sockets of an IPv4 address."""
    wanted = ipaddress.IPv4Address(address).packed
    mapped = bytes(10) + b"\xff\xff" + wanted
    number = held = 0
    trips = []
    for content in contents:
        own = wanted + bytes(12) if content[0] == _INET else mapped
        if content[8:24] != own:
            continue
        number += 1
        for kind, value in attributes(content, _MESSAGE_BYTES):
            if kind == _MEMORY and len(value) >= _FIGURES.size:
                received, _, _, _, reserved, queued = _FIGURES.unpack_from(value)
                held += received + queued + reserved
            elif kind == _INFO and len(value) >= _ROUND_TRIP_AT + 4:
                (trip_us,) = _ROUND_TRIP.unpack_from(value, _ROUND_TRIP_AT)
                if 0 < trip_us < _UNKNOWN_US:
                    trips.append(trip_us / 1e6)
    return SocketMemory(number, held, statistics.median(trips) if trips else None)
