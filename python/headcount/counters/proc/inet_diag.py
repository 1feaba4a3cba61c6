"""Messages of the kernel's ``inet_diag`` about TCP sockets, as arrays.

Formats: the kernel's ``include/uapi/linux/inet_diag.h`` and ``tcp.h`` (``tcp_info``).
"""

import struct
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from headcount.counters.proc.netlink import align

INFO = 2
"""INET_DIAG_INFO: the attribute with tcp_info; bit INFO - 1 of a request asks for it."""
BYTECODE = 1
_SAME_PORT, _SAME_PEER_PORT, _NEVER, _JUMP = 11, 12, 0, 1
"""Operations of the kernel's filter: INET_DIAG_BC_S_EQ, _D_EQ, _NOP (carries a port), _JMP."""
_HEADER_BYTES, _MESSAGE_BYTES = 16, 72
_TIMES = {
    "segment": ("<u4", 16),
    "unacknowledged": ("<u4", 24),
    "sent_ms": ("<u4", 44),
    "received_ms": ("<u4", 52),
    "acknowledged_ms": ("<u4", 56),
    "resent": ("<u4", 100),
    "round_trip": ("<u4", 148),
    "segments_in": ("<u4", 152),
    "segments_out": ("<u4", 156),
    "busy": ("<u8", 168),
    "by_receiver": ("<u8", 176),
    "by_buffer": ("<u8", 184),
    "duplicates": ("<u4", 216),
}
"""Fields of tcp_info with their offsets: bytes of a segment that is sent; segments not yet
acknowledged; milliseconds since data was sent, since it was received, since an acknowledgement was;
segments sent again; the shortest round trip in microseconds; segments with data; microseconds busy,
limited by the receiver's window, limited by the send buffer (Linux 4.10); segments that the other
end says it had already (DSACK, Linux 4.19)."""
_FIELDS = {
    "length": ("<u4", 0),
    "family": ("u1", 16),
    "state": ("u1", 17),
    "port": (">u2", 20),
    "peer_port": (">u2", 22),
    "high": ("<u8", 24),
    "low": ("<u8", 32),
    "peer_high": ("<u8", 40),
    "peer_low": ("<u8", 48),
    "cookie": ("<u8", 60),
    "received": ("<u4", 72),
    "sent": ("<u4", 76),
    "inode": ("<u4", 84),
}
"""Fields of inet_diag_msg behind a netlink header, with their offsets. Of a listening socket
``received`` is the length of the accept queue, ``sent`` its limit."""

_LISTENING = struct.Struct("=I12xBx2x2s2x16s16x4x8x4xII4xI")
"""Of a netlink message about a listening socket: length, family, port, address, accept queue, its
limit, inode."""
Listening = tuple[int, int, bytes, int, int, int]
"""A listening socket: inode, family, address, port, accept queue and its limit."""


def port_filter(ports: Sequence[int], *, of_peer: bool = False) -> bytes:
    """A kernel filter that passes sockets with one of these ports, local or the peer's.

    Each port is two operations, compare and the port; all but the last are followed by a jump to
    the end, which accepts. Jumping one operation past the end rejects.
    """
    code = b""
    end = len(ports) * 12 - 4
    compare = _SAME_PEER_PORT if of_peer else _SAME_PORT
    for number, port in enumerate(ports):
        code += struct.pack("=BBHBBH", compare, 8, 12, _NEVER, 0, port)
        if number < len(ports) - 1:
            code += struct.pack("=BBH", _JUMP, 4, end - len(code))
    return code


def runs(buffer: bytes) -> Iterator[np.ndarray[Any, Any]]:
    """Messages of a buffer as arrays, one for each run of messages of the same length."""
    at = 0
    while at + _HEADER_BYTES + _MESSAGE_BYTES <= len(buffer):
        (length,) = struct.unpack_from("<I", buffer, at)
        if length < _HEADER_BYTES + _MESSAGE_BYTES:
            return
        step = align(length)
        dtype = _layout(step, _info_at(buffer, at, length))
        run = np.frombuffer(buffer, dtype, (len(buffer) - at) // step, at)
        others = np.flatnonzero(run["length"] != length)
        run = run[: others[0]] if len(others) else run
        yield run
        at += step * len(run)


def listening_in(buffer: bytes) -> Iterator[Listening]:
    """The messages of a buffer about listening sockets; too few to be worth an array."""
    at = 0
    while at + _LISTENING.size <= len(buffer):
        length, family, port, address, queue, limit, inode = _LISTENING.unpack_from(buffer, at)
        if length < _HEADER_BYTES + _MESSAGE_BYTES:
            return
        yield inode, family, address, int.from_bytes(port, "big"), queue, limit
        at += align(length)


def _info_at(message: bytes, at: int, length: int) -> tuple[int, int]:
    """Offset and length of tcp_info in the message that begins there; zeros without it."""
    place = _HEADER_BYTES + _MESSAGE_BYTES
    while place + 4 <= length:
        size, kind = struct.unpack_from("=HH", message, at + place)
        if size < 4:
            break
        if kind == INFO:
            return place + 4, size - 4
        place += align(size)
    return 0, 0


@lru_cache(maxsize=64)
def _layout(step: int, info: tuple[int, int]) -> np.dtype[Any]:
    """Offsets of the fields of a message, including those of tcp_info if it has them."""
    fields = dict(_FIELDS)
    at, length = info
    for name, (form, offset) in _TIMES.items():
        if length >= offset + int(form[-1]):
            fields[name] = (form, at + offset)
    return np.dtype(
        {
            "names": list(fields),
            "formats": [form for form, _ in fields.values()],
            "offsets": [offset for _, offset in fields.values()],
            "itemsize": step,
        }
    )
