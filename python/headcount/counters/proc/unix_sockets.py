"""Unix sockets that a program is connected through, by the kernel's ``unix_diag``.

Format: the kernel's ``include/uapi/linux/unix_diag.h``. A path belongs to the socket that listens
there, and to those that it accepted. The other end of a connection not yet accepted has no inode;
the listener shows whose it is.
"""

import struct
from collections.abc import Iterable
from dataclasses import dataclass

from headcount.counters.proc.netlink import SOCK_DIAG, Netlink, attributes, messages

_UNIX = 1
_BY_FAMILY = 20
_STREAM = 1
_ESTABLISHED, _LISTEN = 1, 10
_SHOW = 1 | 4 | 8 | 16
"""UDIAG_SHOW_NAME, _PEER, _ICONS (whose connections wait to be accepted), _RQLEN."""
_NAME, _PEER, _WAITING, _LENGTHS = 0, 2, 3, 4
_REQUEST = struct.Struct("=BBHIIIII")
_MESSAGE = struct.Struct("=BBBxIII")


@dataclass(frozen=True, slots=True)
class UnixConnection:
    """A connection that a program opened: its own socket, where it leads, and if it is accepted."""

    inode: int
    path: str
    is_accepted: bool


class UnixTable:
    """The Unix sockets of a network namespace; raises OSError if the kernel does not list them."""

    def __init__(self, namespace: str | None = None) -> None:
        """Open a netlink socket."""
        self._netlink = Netlink(SOCK_DIAG, namespace)

    def outgoing(self, inodes: frozenset[int]) -> list[UnixConnection]:
        """The sockets among these that are connected to a path and were not accepted there."""
        names: dict[int, str] = {}
        peers: dict[int, int] = {}
        pending: dict[int, str] = {}
        for inode, is_listening, parts in self._sockets():
            name = _text(parts.get(_NAME))
            if is_listening and name:
                waiting = parts.get(_WAITING, b"")
                pending |= dict.fromkeys(struct.unpack(f"={len(waiting) // 4}I", waiting), name)
            elif name:
                names[inode] = name
            elif inode in inodes and _PEER in parts:
                peers[inode] = struct.unpack("=I", parts[_PEER])[0]
        found = []
        for inode, peer in peers.items():
            if peer in names:
                found.append(UnixConnection(inode, names[peer], is_accepted=True))
            elif inode in pending:
                found.append(UnixConnection(inode, pending[inode], is_accepted=False))
        return found

    def listeners(self, paths: Iterable[str]) -> dict[str, tuple[int, int]]:
        """The listening socket of each path: its inode, and how many wait to be accepted."""
        wanted = set(paths)
        return {
            name: (inode, struct.unpack("=II", parts[_LENGTHS])[0] if _LENGTHS in parts else 0)
            for inode, is_listening, parts in self._sockets()
            if is_listening and (name := _text(parts.get(_NAME))) in wanted
        }

    def close(self) -> None:
        """Close the socket."""
        self._netlink.close()

    def _sockets(self) -> Iterable[tuple[int, bool, dict[int, bytes]]]:
        """Inode, whether it listens, and attributes of every stream socket."""
        states = 1 << _ESTABLISHED | 1 << _LISTEN
        request = _REQUEST.pack(_UNIX, 0, 0, states, 0, _SHOW, 0, 0)
        for buffer in self._netlink.dump(_BY_FAMILY, request):
            for content in messages(buffer):
                _, kind, state, inode, *_ = _MESSAGE.unpack_from(content)
                if kind == _STREAM:
                    yield inode, state == _LISTEN, dict(attributes(content, _MESSAGE.size))


def _text(name: bytes | None) -> str:
    """A path; of an abstract name, which begins with a zero, the name behind an @."""
    if not name:
        return ""
    text = name.lstrip(b"\0").rstrip(b"\0").decode("utf-8", "replace")
    return f"@{text}" if name[:1] == b"\0" else text
