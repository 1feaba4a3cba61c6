"""The programs behind a server on the same machine, such as its database: CPU, and locks.

The server's users cause their work. Other counters treat them as other programs.
"""

import ipaddress
import socket
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import closing
from pathlib import Path

from headcount.counters.proc.behind import peers_of
from headcount.counters.proc.files import read_text
from headcount.counters.proc.machine import ThisMachine
from headcount.counters.proc.serving import Place, find_on, roots
from headcount.counters.proc.titles import statements
from headcount.counters.proc.tree import Tree, delta
from headcount.counters.proc.tree import read as read_tree
from headcount.counters.proc.unix_sockets import UnixTable
from headcount.counters.proc.upstream import UNIX

NAMES = {
    "upstream.cpu.utilization": "process.cpu.utilization",
    "upstream.cpu.run_delay": "process.cpu.run_delay",
}
"""Counters of these programs, by the counters of a server with the same meaning."""
ACTIVE, WAITING = "upstream.postgresql.active", "upstream.postgresql.waiting"
HOPS = 2
"""How far connections are followed: to a proxy or connection pool, and to what is behind it."""
AGAIN_S = 5.0
"""How often to look up which processes listen at the peers' addresses: that reads the descriptors
of all processes."""
DUTY = 0.01
"""Share of a core that looking may cost, and again that reading the processes may."""


class UpstreamPrograms:
    """The programs of this machine that a server is connected to, and their CPU.

    Args:
        proc: Where procfs is mounted.
        sys: Where sysfs is mounted.

    """

    def __init__(self, proc: Path, sys: Path) -> None:
        """Look for nothing yet."""
        self._machine = ThisMachine(str(proc), sys)
        self._peers: frozenset[str] = frozenset()
        self._pids: tuple[int, ...] = ()
        self._previous: tuple[float, Tree] | None = None
        self._look_due_s = float("-inf")
        self._read_due_s = float("-inf")

    def sample(
        self, at_s: float, peers: Iterable[str], members: Collection[int]
    ) -> dict[str, float]:
        """Their CPU, and their waits for it, since the previous sample; the state of sessions now.

        Args:
            at_s: Now, on a clock that never runs backwards.
            peers: Addresses that the server is connected to, as `ip:port`.
            members: The server's own processes.

        """
        now = frozenset(peers)
        if now and (now != self._peers or at_s >= self._look_due_s):
            self._look(at_s, now, members)
        if not self._pids or at_s < self._read_due_s:
            return {}
        began_s = time.thread_time()
        was = self._previous
        tree = read_tree(
            self._machine.proc, self._pids, was[1] if was else None, besides=frozenset(members)
        )
        self._previous = at_s, tree
        values = delta(was[1], tree, at_s - was[0]) if was else {}
        found = {name: values[of] for name, of in NAMES.items() if of in values}
        found |= self._of_sessions(tree)
        self._read_due_s = at_s + _pause_s(began_s)
        return found

    def _of_sessions(self, tree: Tree) -> dict[str, float]:
        proc = self._machine.proc
        running = [pid for pid, one in tree.processes.items() if not one.ended]
        return of_sessions(running, lambda pid: read_text(f"{proc}/{pid}/cmdline"))

    def _look(self, at_s: float, peers: frozenset[str], members: Collection[int]) -> None:
        began_s = time.thread_time()
        pids: set[int] = set()
        reached = peers
        for hop in range(HOPS):
            behind = {pid for peer in reached for pid in self._roots_at(peer)}
            behind -= {*members, *pids}
            pids |= behind
            if not behind or hop == HOPS - 1:
                break
            reached = frozenset(self._peers_of(behind)) - peers
        found = tuple(sorted(pids))
        if found != self._pids:
            self._pids, self._previous = found, None
        self._peers = peers
        self._look_due_s = at_s + max(AGAIN_S, _pause_s(began_s))

    def _roots_at(self, peer: str) -> set[int]:
        """The processes that listen at an address; none if that is on another machine."""
        if peer.startswith(UNIX):
            return self._holders(peer.removeprefix(UNIX))
        return set(find_on(self._machine, [Place.of(peer)]).pids) if _is_here(peer) else set()

    def _peers_of(self, pids: Iterable[int]) -> list[str]:
        """The peers of these processes and their descendants."""
        try:
            return peers_of(self._machine.proc, self._machine.whole(tuple(pids)))
        except OSError:
            return []

    def _holders(self, path: str) -> set[int]:
        """The processes that listen at a path, without init, which holds it for services."""
        try:
            with closing(UnixTable()) as table:
                found = table.listeners([path])
        except OSError:
            return set()
        wanted = {inode for inode, _ in found.values()}
        held = self._machine.holders(wanted) - {1, self._machine.own}
        return set(roots(held, self._machine))


def of_sessions(pids: Iterable[int], title: Callable[[int], str | None]) -> dict[str, float]:
    """How many statements PostgreSQL executes, and how many wait for a lock, by its titles."""
    found = statements(pids, title)
    return {} if found is None else {ACTIVE: found.active, WAITING: found.waiting}


def _pause_s(began_s: float) -> float:
    """Seconds to pause, given the CPU spent since then."""
    return (time.thread_time() - began_s) / DUTY - 1.0


def _is_here(peer: str) -> bool:
    """Whether an address is this machine's: only those can be bound."""
    host = peer.rpartition(":")[0].strip("[]")
    version = ipaddress.ip_address(host).version
    family = socket.AF_INET if version == 4 else socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as trial:
        try:
            trial.bind((host, 0))
        except OSError:
            return False
    return True
