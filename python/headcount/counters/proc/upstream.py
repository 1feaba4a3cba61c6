"""The connections that a server opened to others, such as a database, and waits for.

A connection on which data was sent later than received waits for an answer. That holds for
protocols of requests and answers: HTTP, FastCGI, and those of databases and caches. For Unix
sockets the kernel keeps no such times. There, a connection waits until it is accepted, and also
after that if each serves one request, as those of nginx to PHP-FPM do.
"""

import ipaddress
from collections import Counter
from collections.abc import Callable, Collection, Iterable

from headcount.counters.naming import PEER, instance_name, split_instance
from headcount.counters.proc.fine import Look
from headcount.counters.proc.process import Process
from headcount.counters.proc.sockets import Listener, Outgoing, Table, inodes
from headcount.counters.proc.unix_sockets import UnixConnection, UnixTable

CONNECTIONS, WAITING = "upstream.connections", "upstream.waiting"
ACCEPT_QUEUE = "upstream.accept_queue"
PEERS_MAX = 8
"""Peers with figures of their own: those seen first. A server with thousands of peers, such as a
mail relay, has figures of all together."""
UNIX = "unix:"
"""Prefix of the path of a Unix socket in the name of a peer."""
_INET = 2
_INODES_MAX = 10_000


class Turnover:
    """Whether connections to a path serve one request each: many are opened, few are present."""

    TIMES = 3
    """With this many new connections for each existing one, they cannot be a pool."""

    def __init__(self) -> None:
        """Nothing was seen yet."""
        self._seen: set[int] = set()
        self._most = 0

    def is_of_requests(self, inodes: Collection[int]) -> bool:
        """Take in the current connections; decides by all that were seen."""
        self._most = max(self._most, len(inodes))
        if len(self._seen) < _INODES_MAX:
            self._seen.update(inodes)
        return len(self._seen) >= self.TIMES * max(self._most, 1)


class Upstreams:
    """How many connections to others a tree of processes has, and how many wait for an answer.

    Args:
        table: Where sockets are looked up.
        proc: Where procfs is mounted.
        members: Returns the tree's processes as they were last read.
        unix: Where Unix sockets are looked up; None if that is impossible.

    """

    def __init__(
        self,
        table: Table,
        proc: str,
        members: Callable[[], Iterable[Process]],
        unix: UnixTable | None = None,
    ) -> None:
        """Look at nothing yet."""
        self._table = table
        self._proc = proc
        self._members = members
        self._unix = unix
        self._turnover: dict[str, Turnover] = {}
        self._peers: dict[str, None] = {}

    def look(self) -> Iterable[Look]:
        """Read the sockets that the processes hold now; nothing until the first connection."""
        own = inodes(self._proc, [one.pid for one in self._members() if not one.ended])
        found = self._table.outgoing(own) if own else []
        if found is None:
            return
        there = Counter(peer_name(one) for one in found)
        waiting = Counter(peer_name(one) for one in found if one.is_waiting)
        local, local_waiting = self._local(own)
        there.update(local)
        waiting.update(local_waiting)
        if not (there or self._peers):
            return
        for peer in there:
            if len(self._peers) < PEERS_MAX:
                self._peers.setdefault(peer)
        yield CONNECTIONS, "mean", there.total()
        yield WAITING, "mean", waiting.total()
        for peer in self._peers:
            yield instance_name(CONNECTIONS, PEER, peer), "mean", there[peer]
            yield instance_name(WAITING, PEER, peer), "mean", waiting[peer]
        yield from self._queues()

    def _queues(self) -> Iterable[Look]:
        """How many connections wait to be accepted by peers that listen on this machine."""
        listeners = self._table.listeners()
        paths = [peer.removeprefix(UNIX) for peer in self._peers if peer.startswith(UNIX)]
        local = self._unix.listeners(paths) if self._unix is not None and paths else {}
        for path, (_, queue) in local.items():
            yield instance_name(ACCEPT_QUEUE, PEER, UNIX + path), "mean", queue
        for peer in self._peers:
            if peer.startswith(UNIX):
                continue
            here = [one.queue for one in listeners if listens_at(one, peer)]
            if here:
                yield instance_name(ACCEPT_QUEUE, PEER, peer), "mean", sum(here)

    def _local(self, own: frozenset[int]) -> tuple[Counter[str], Counter[str]]:
        """Connections through Unix sockets by peer, and those that wait."""
        there: Counter[str] = Counter()
        waiting: Counter[str] = Counter()
        if self._unix is None or not own:
            return there, waiting
        by_path: dict[str, list[UnixConnection]] = {}
        for one in self._unix.outgoing(own):
            by_path.setdefault(one.path, []).append(one)
        for path, found in by_path.items():
            turnover = self._turnover.setdefault(path, Turnover())
            each = turnover.is_of_requests([one.inode for one in found])
            there[UNIX + path] = len(found)
            waiting[UNIX + path] = sum(each or not one.is_accepted for one in found)
        return there, waiting

    def close(self) -> None:
        """Close the table of Unix sockets, which is not shared."""
        if self._unix is not None:
            self._unix.close()


def listens_at(one: Listener, peer: str) -> bool:
    """Whether a listening socket has exactly this address and port; a wildcard may be another.

    A loopback address can only be on this machine, so there a wildcard counts.
    """
    name = peer_name(Outgoing(0, one.family, one.address, one.port, is_waiting=False))
    host, _, port = peer.rpartition(":")
    is_loopback = ipaddress.ip_address(host.strip("[]")).is_loopback
    return name == peer or (is_loopback and one.port == int(port) and not any(one.address))


def peer_of(counter: str) -> str | None:
    """The peer whose connections a counter is about; None for other counters."""
    family, peer = split_instance(counter)
    return peer if family == CONNECTIONS else None


def peer_name(one: Outgoing) -> str:
    """The other end as `ip:port` or `[ip]:port`."""
    if one.family == _INET:
        return f"{ipaddress.IPv4Address(one.peer[:4])}:{one.peer_port}"
    address = ipaddress.IPv6Address(one.peer)
    if address.ipv4_mapped is not None:
        return f"{address.ipv4_mapped}:{one.peer_port}"
    return f"[{address}]:{one.peer_port}"
