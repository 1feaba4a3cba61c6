"""What a file descriptor of a process is: a file, a pipe, or a socket and its peer.

Formats: proc(5) (fd, net/udp).
"""

import os
from collections.abc import Iterable
from contextlib import suppress

from headcount.counters.proc.files import read_text
from headcount.counters.proc.netlink import own_namespace
from headcount.counters.proc.sockets import Listener, Outgoing, Table, open_table
from headcount.counters.proc.unix_sockets import UnixTable
from headcount.counters.proc.upstream import peer_name

FILE, PIPE, PEER, UNIX, LISTEN = "file:", "pipe:", "peer:", "unix:", "listen:"
"""Prefixes of a path, a number, an address, a path and an address."""
CLIENT, UDP, SOCKET = "client", "udp", "socket"
"""A connection that the process accepted, any UDP socket, and an unknown socket."""
_SOCKET_LINK, _PIPE_LINK = "socket:[", "pipe:["
_KNOWN_MAX = 20_000


class Objects:
    """Names of descriptors of processes in one network namespace; sockets are remembered.

    Args:
        proc: Where procfs is mounted.

    """

    def __init__(self, proc: str) -> None:
        """Look up nothing yet."""
        self._proc = proc
        self._names: dict[int, str] = {}
        self._table: Table | None = None
        self._unix: UnixTable | None = None
        self._is_open = False

    def link(self, pid: int, descriptor: int) -> str | None:
        """The link in `/proc/PID/fd`; None if it is closed by now, or unreadable."""
        try:
            return os.readlink(f"{self._proc}/{pid}/fd/{descriptor}")  # noqa: PTH115 - hot path
        except OSError:
            return None

    def renew(self, pid: int, links: Iterable[str]) -> None:
        """Look up the unknown sockets among these links, with one request."""
        wanted = {inode for link in links if (inode := _inode(link)) is not None}
        missing = frozenset(wanted - self._names.keys())
        if not missing:
            return
        if len(self._names) > _KNOWN_MAX:
            self._names.clear()
        self._open(pid)
        self._names |= self._found(pid, missing)

    def name(self, link: str, descriptor: int) -> str | None:
        """The object's name; None for one without meaning, such as an epoll instance."""
        if link.startswith("/"):
            return FILE + link
        if link.startswith(_PIPE_LINK):
            return f"{PIPE}{descriptor}"
        inode = _inode(link)
        return None if inode is None else self._names.get(inode, SOCKET)

    def close(self) -> None:
        """Close what is open."""
        for table in (self._table, self._unix):
            if table is not None:
                table.close()
        self._table = self._unix = None

    def _open(self, pid: int) -> None:
        if self._is_open:
            return
        self._is_open = True
        namespace = own_namespace(self._proc, pid)
        with suppress(OSError):
            self._table = open_table(self._proc, pid, namespace)
        if self._proc == "/proc":
            with suppress(OSError):
                self._unix = UnixTable(namespace)

    def _found(self, pid: int, missing: frozenset[int]) -> dict[int, str]:
        """Names of sockets; those neither outgoing nor listening were accepted."""
        if self._table is None:
            return dict.fromkeys(missing, SOCKET)
        try:
            outgoing = self._table.outgoing(missing)
            listening = self._table.listeners()
            local = self._unix.outgoing(missing) if self._unix is not None else []
        except OSError:
            return dict.fromkeys(missing, SOCKET)
        names = dict.fromkeys(missing, SOCKET if outgoing is None else CLIENT)
        names |= dict.fromkeys(self._udp(pid) & missing, UDP)
        names |= {one.inode: PEER + peer_name(one) for one in outgoing or ()}
        names |= {one.inode: UNIX + one.path for one in local}
        names |= {one.inode: LISTEN + _listener_name(one) for one in listening}
        return {inode: name for inode, name in names.items() if inode in missing}

    def _udp(self, pid: int) -> set[int]:
        found = set()
        for table in ("udp", "udp6"):
            for line in (read_text(f"{self._proc}/{pid}/net/{table}") or "").splitlines()[1:]:
                words = line.split(maxsplit=10)
                if len(words) > 9 and words[9].isdigit():
                    found.add(int(words[9]))
        return found


def _inode(link: str) -> int | None:
    """The number of a socket.

    >>> _inode("socket:[42]"), _inode("/var/log/x")
    (42, None)
    """
    if not link.startswith(_SOCKET_LINK):
        return None
    number = link[len(_SOCKET_LINK) : -1]
    return int(number) if number.isdigit() else None


def _listener_name(one: Listener) -> str:
    """Where a socket listens, as `ip:port`."""
    return peer_name(Outgoing(0, one.family, one.address, one.port, is_waiting=False))
