"""Whom a server waits for: the connections that it opened to others, such as a database.

A connection on which data was sent later than received waits for an answer. That holds for
protocols of requests and answers: HTTP, FastCGI, and those of databases and caches.
"""

import ipaddress
from collections import Counter
from collections.abc import Callable, Iterable

from headcount.counters.naming import PEER, instance_name, split_instance
from headcount.counters.proc.fine import Look
from headcount.counters.proc.process import Process
from headcount.counters.proc.sockets import Listener, Outgoing, Table, inodes

CONNECTIONS, WAITING = "upstream.connections", "upstream.waiting"
ACCEPT_QUEUE = "upstream.accept_queue"
PEERS_MAX = 8
"""Peers with figures of their own: those seen first. A server that asks thousands of others, such
as a mail relay, has figures of all together."""
_INET = 2


class Upstreams:
    """How many connections to others a tree of processes has, and how many wait for an answer.

    Args:
        table: Where sockets are looked up.
        proc: Where procfs is mounted.
        members: Returns the tree's processes as they were last read.

    """

    def __init__(self, table: Table, proc: str, members: Callable[[], Iterable[Process]]) -> None:
        """Look at nothing yet."""
        self._table = table
        self._proc = proc
        self._members = members
        self._peers: dict[str, None] = {}

    def look(self) -> Iterable[Look]:
        """Look at the sockets that the processes hold now; nothing until there was a connection."""
        own = inodes(self._proc, [one.pid for one in self._members() if not one.ended])
        found = self._table.outgoing(own) if own else []
        if found is None or not (found or self._peers):
            return
        there = Counter(peer_name(one) for one in found)
        waiting = Counter(peer_name(one) for one in found if one.is_waiting)
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
        for peer in self._peers:
            here = [one.queue for one in listeners if listens_at(one, peer)]
            if here:
                yield instance_name(ACCEPT_QUEUE, PEER, peer), "mean", sum(here)

    def close(self) -> None:
        """Nothing is held."""


def listens_at(one: Listener, peer: str) -> bool:
    """Whether a listening socket has just this address and port: one of any address may be another.

    A loopback address can only be of this machine, so there any address will do.
    """
    name = peer_name(Outgoing(0, one.family, one.address, one.port, is_waiting=False))
    host, _, port = peer.rpartition(":")
    is_loopback = ipaddress.ip_address(host.strip("[]")).is_loopback
    return name == peer or (is_loopback and one.port == int(port) and not any(one.address))


def peer_of(counter: str) -> str | None:
    """The peer of which a counter gives the connections; None of any other counter."""
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
