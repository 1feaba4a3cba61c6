"""The peers of processes of this machine."""

from collections.abc import Iterable
from contextlib import closing

from headcount.counters.proc.sockets import inodes, open_table
from headcount.counters.proc.upstream import peer_name


def peers_of(proc: str, pids: Iterable[int]) -> list[str]:
    """The addresses, as `ip:port`, to which some processes opened connections; each once.

    Raises OSError if the kernel does not list sockets.
    """
    with closing(open_table(proc, None, None)) as table:
        own = inodes(proc, pids)
        outgoing = (table.outgoing(own) if own else None) or []
    return list(dict.fromkeys(peer_name(one) for one in outgoing))
