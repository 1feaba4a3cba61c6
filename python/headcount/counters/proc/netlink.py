"""Requests to the kernel over netlink, in the network namespace of a process.

Formats: https://docs.kernel.org/userspace-api/netlink/intro.html; the numbers are those of the
kernel's ``include/uapi/linux`` (netlink.h, rtnetlink.h, sock_diag.h).
"""

import ctypes
import os
import socket
import struct
import threading
from collections.abc import Iterator

ROUTE = 0
SOCK_DIAG = 4

_HEADER = struct.Struct("=IHHII")
_ATTRIBUTE = struct.Struct("=HH")
_DONE, _ERROR = 3, 2
_DONE_BYTES = 20
"""The end of a dump is a header and one number; more only if requested."""
_DONE_HEAD = struct.pack("=IH", _DONE_BYTES, _DONE)
_DUMP_REQUEST = 0x301
"""NLM_F_REQUEST | NLM_F_DUMP."""
_CLONE_NEWNET = 0x40000000
_NESTED_MASK = 0x3FFF
"""The two upper bits of an attribute's type are flags."""
_PATIENCE_S = 1.0
"""Longest wait for the kernel, which answers at once or not at all."""
_ANSWER_BYTES = 1 << 20


def align(length: int) -> int:
    """Round a length up as netlink does, to multiples of four."""
    return (length + 3) & ~3


class Netlink:
    """One netlink socket.

    Raises OSError if the kernel lacks the family, or the namespace may not be entered (which needs
    root).

    Args:
        family: :data:`ROUTE` or :data:`SOCK_DIAG`.
        namespace: The file of a network namespace, such as ``/proc/PID/ns/net``; None for our own.

    """

    def __init__(self, family: int, namespace: str | None = None) -> None:
        """Open the socket, which stays in its namespace whichever thread uses it."""
        self._socket = _opened(family) if namespace is None else _opened_in(family, namespace)
        self._socket.settimeout(_PATIENCE_S)
        self._buffer = bytearray(_ANSWER_BYTES)
        self._view = memoryview(self._buffer)

    def dump(self, kind: int, request: bytes) -> Iterator[bytes]:
        """Request all objects of a kind; yields buffers of whole messages with their headers.

        Raises OSError if the kernel refuses the request.
        """
        length = _HEADER.size + len(request)
        self._socket.send(_HEADER.pack(length, kind, _DUMP_REQUEST, 1, 0) + request)
        while True:
            # One buffer for all answers: allocating one for each costs more than the request.
            buffer = bytes(self._view[: self._socket.recv_into(self._buffer)])
            length, kind_of_answer, *_ = _HEADER.unpack_from(buffer)
            if kind_of_answer == _ERROR:
                (negative_errno,) = struct.unpack_from("=i", buffer, _HEADER.size)
                raise OSError(-negative_errno, os.strerror(-negative_errno))
            if kind_of_answer == _DONE:
                return
            yield buffer
            if _ends(buffer):
                return

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


def messages(buffer: bytes) -> Iterator[bytes]:
    """Split a buffer into the messages' contents, without their headers."""
    at = 0
    while at + _HEADER.size <= len(buffer):
        length, kind, *_ = _HEADER.unpack_from(buffer, at)
        if length < _HEADER.size:
            return
        if kind != _DONE:
            yield buffer[at + _HEADER.size : at + length]
        at += align(length)


def attributes(content: bytes, at: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield the attributes from an offset on, as type and value."""
    while at + _ATTRIBUTE.size <= len(content):
        length, kind = _ATTRIBUTE.unpack_from(content, at)
        if length < _ATTRIBUTE.size:
            return
        yield kind & _NESTED_MASK, content[at + _ATTRIBUTE.size : at + length]
        at += align(length)


def attribute(kind: int, value: bytes) -> bytes:
    """One attribute of a request."""
    length = _ATTRIBUTE.size + len(value)
    return (_ATTRIBUTE.pack(length, kind) + value).ljust(align(length), b"\0")


def own_namespace(proc: str, pid: int) -> str | None:
    """Return the file of a process's network namespace, None if it is ours or unreadable."""
    path = f"{proc}/{pid}/ns/net"
    try:
        theirs, ours = os.readlink(path), os.readlink(f"{proc}/self/ns/net")  # noqa: PTH115
    except OSError:
        return None
    return path if theirs != ours else None


def _ends(buffer: bytes) -> bool:
    """Whether the last message of a buffer ends the dump."""
    # That message has 20 bytes: a buffer with another ending need not be walked through.
    if len(buffer) < _DONE_BYTES or not buffer.startswith(_DONE_HEAD, len(buffer) - _DONE_BYTES):
        return False
    at = kind = 0
    while at + _HEADER.size <= len(buffer):
        length, kind, *_ = _HEADER.unpack_from(buffer, at)
        if length < _HEADER.size:
            return True
        at += align(length)
    return kind == _DONE


def _opened(family: int) -> socket.socket:
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, family)


def _opened_in(family: int, namespace: str) -> socket.socket:
    """Open a socket in another namespace, on a temporary thread, as setns moves the thread."""
    made: list[socket.socket] = []
    failed: list[OSError] = []

    def enter() -> None:
        try:
            descriptor = os.open(namespace, os.O_RDONLY | os.O_CLOEXEC)
            try:
                libc = ctypes.CDLL(None, use_errno=True)
                if libc.setns(descriptor, _CLONE_NEWNET) != 0:
                    code = ctypes.get_errno()
                    raise OSError(code, os.strerror(code), namespace)
                made.append(_opened(family))
            finally:
                os.close(descriptor)
        except OSError as error:
            failed.append(error)

    thread = threading.Thread(target=enter, name="headcount-namespace")
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return made[0]
