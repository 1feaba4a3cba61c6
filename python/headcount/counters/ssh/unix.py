"""The Unix sockets that a server behind SSH is connected through, such as those of PHP-FPM."""

import re
from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

from headcount.counters.proc.files import integer
from headcount.counters.proc.upstream import PEERS_MAX, UNIX, Turnover
from headcount.counters.ssh import script

WHOSE = "ss -Hxape"
"""Lists all Unix sockets with the processes that hold them, which is slow."""
TITLE = "upstream-unix"
_LISTENING = "LISTEN"
_PENDING = re.compile(r"\bpeers:((?: +\d+)+)")
_PID = re.compile(r"\bpid=(\d+)")
_PROGRAM = re.compile(r'users:\(\("([^"]+)"')


class Row(NamedTuple):
    """A line of ss(8).

    Attributes:
        is_listening: Whether it takes connections.
        queue: Of a listening one, connections that wait to be accepted.
        path: Its path; empty for one without, as clients have.
        inode, peer: Its own inode, and that of its other end; 0 while that has none.
        pending: Of a listening one, the inodes whose connections wait.
        program: What holds it; empty where that is not known.
        pids: The processes that hold it.

    """

    is_listening: bool
    queue: int
    path: str
    inode: int
    peer: int
    pending: frozenset[int]
    program: str
    pids: frozenset[int]


@dataclass(slots=True)
class Counts:
    """Of some peers: connections, those that wait for an answer, and those not yet accepted."""

    there: Counter[str] = field(default_factory=Counter)
    waiting: Counter[str] = field(default_factory=Counter)
    queued: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class FarUnix:
    """The paths that a server is connected to."""

    paths: dict[str, Turnover] = field(default_factory=dict)

    def find(self, text: str, pids: AbstractSet[int]) -> tuple[set[int], dict[str, str]]:
        """Take in the output of `WHOSE`: listeners at paths of these processes, and programs."""
        found = list(rows(text))
        names = {one.inode: one.path for one in found if one.path and not one.is_listening}
        names |= {inode: one.path for one in found for inode in one.pending}
        for one in found:
            if one.path or not one.pids & pids:
                continue
            path = names.get(one.peer) or names.get(one.inode)
            if path is not None and len(self.paths) < PEERS_MAX:
                self.paths.setdefault(path, Turnover())
        listening = [one for one in found if one.is_listening and one.path in self.paths]
        # Init holds the sockets of services that it starts on demand.
        behind = {pid for one in listening for pid in one.pids} - {1}
        return behind, {UNIX + one.path: one.program for one in listening if one.program}

    def question(self) -> str | None:
        """The request about the paths; None without paths."""
        if not self.paths:
            return None
        commands = "; ".join(f"ss -Hxa src {script.quoted([path])}" for path in self.paths)
        return script.titled(TITLE, commands)

    def counts(self, text: str) -> Counts:
        """How many connections there are; a connection waits as :mod:`proc.upstream` says."""
        made = Counts()
        found = list(rows(text))
        for path, turnover in self.paths.items():
            accepted = [one.inode for one in found if one.path == path and one.peer]
            queue = sum(one.queue for one in found if one.path == path and one.is_listening)
            of_requests = turnover.is_of_requests(accepted)
            made.there[UNIX + path] = len(accepted) + queue
            made.waiting[UNIX + path] = queue + (len(accepted) if of_requests else 0)
            made.queued[UNIX + path] = queue
        return made


def rows(text: str) -> Iterator[Row]:
    """The stream sockets in the output of ss(8); skips paths with spaces or without a folder."""
    for line in text.splitlines():
        words = line.split(maxsplit=8)
        if len(words) < 8 or words[0] not in ("u_str", "u_seq"):
            continue
        queue, inode, peer = (integer(words[at]) for at in (2, 5, 7))
        if queue is None or inode is None or peer is None or words[4][:1] not in ("/", "*"):
            continue
        pending = _PENDING.search(line)
        program = _PROGRAM.search(line)
        yield Row(
            words[1] == _LISTENING,
            queue,
            words[4] if words[4] != "*" else "",
            inode,
            peer,
            frozenset(map(int, pending[1].split())) if pending else frozenset(),
            program[1] if program else "",
            frozenset(int(pid) for pid in _PID.findall(line)),
        )
