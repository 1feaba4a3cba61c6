"""Whom processes of this machine are connected to."""

from collections.abc import Iterable
from contextlib import closing

from headcount.counters.proc.sockets import inodes, open_table
from headcount.counters.proc.upstream import peer_name


def peers_of(proc: str, pids: Iterable[int]) -> list[str]:
    """The addresses, as `ip:port`, that some processes opened connections to; each once.

    Raises OSError where the kernel does not list sockets.
    """
    with closing(open_table(proc, None, None)) as table:
        own = inodes(proc, pids)
        outgoing = (table.outgoing(own) if own else None) or []
    return list(dict.fromkeys(peer_name(one) for one in outgoing))
