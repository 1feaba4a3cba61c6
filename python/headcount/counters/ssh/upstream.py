"""Connections of a server behind SSH to others, by ss(8), and the CPU of the programs there.

Only root and the server's own user learn which process owns a connection, and that is slow: ss(8)
reads the descriptors of all processes for it. So the peers' ports are looked up now and then, and
the connections to these that wait for an answer are counted every other second.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

from headcount.counters.naming import PEER, instance_name
from headcount.counters.proc.files import integer
from headcount.counters.proc.machine import descendants
from headcount.counters.proc.process import parse_stat
from headcount.counters.proc.serving import Place
from headcount.counters.proc.sockets import Listener, Outgoing
from headcount.counters.proc.talk import Talk
from headcount.counters.proc.upstream import (
    ACCEPT_QUEUE,
    CONNECTIONS,
    PEERS_MAX,
    UNIX,
    WAITING,
    listens_at,
    peer_name,
)
from headcount.counters.proc.upstream_programs import NAMES, of_sessions
from headcount.counters.ssh import script
from headcount.counters.ssh.machine import Ask
from headcount.counters.ssh.members import Members, Units
from headcount.counters.ssh.table import place_of_ss
from headcount.counters.ssh.unix import TITLE as TITLE_UNIX
from headcount.counters.ssh.unix import WHOSE as WHOSE_UNIX
from headcount.counters.ssh.unix import Counts, FarUnix

FIND_S = 10.0
"""How often the server's peers are looked up: three runs of ss(8), of 3 ms of CPU time each on a
machine with 66 processes, and more with more."""
EAGER_S, EAGER_FOR_S = 2.0, 60.0
"""The interval until the first peer is found, and for how long it applies: levels may be short."""
LOOK_S = 2.0
"""How often waiting connections are counted: an ss(8) or three, of 2 ms of CPU time each."""
TITLE = "upstream"
_WHOSE, _LISTENING, _UNIX = "whose", "listening-for-whom", "whose-unix"
_STATES = "state established state syn-sent"
_SYN_SENT = "SYN-SENT"
_PID, _USER = re.compile(r"\bpid=(\d+)"), re.compile(r"\buid:(\d+)")
_PROGRAM = re.compile(r'users:\(\("([^"]+)"')
_POSTGRESQL = ("postgres", "postmaster")
_INFO = re.compile(r"\b(lastsnd|lastrcv|lastack|unacked|data_segs_in|data_segs_out):(\d+)")
_INFO_NAMES = ("lastsnd", "lastrcv", "lastack", "unacked", "data_segs_in", "data_segs_out")
"""As ss(8) calls the fields of :class:`Talk`, in their order; one that is 0 is left out."""


class Connection(NamedTuple):
    """A line of ss(8)."""

    peer: str
    is_waiting: bool
    user: int
    pids: frozenset[int]


@dataclass(slots=True)
class FarUpstreams:
    """The other servers that a server has connections to, for the length of a login.

    Attributes:
        units: The units of its machine.
        peers: Addresses, in the order in which they were found.
        programs: What listens there, by peer, if that is a program of the same machine.

    """

    units: Units
    peers: dict[str, None] = field(default_factory=dict)
    programs: dict[str, str] = field(default_factory=dict)
    _unix: FarUnix = field(default_factory=FarUnix)
    _users: frozenset[int] = frozenset()
    _behind: Members = field(init=False)
    _began_s: float = float("inf")
    _find_s: float = float("-inf")
    _look_s: float = float("-inf")

    def __post_init__(self) -> None:
        """Know no programs behind it yet."""
        self._behind = Members(self.units)

    def find(self, ask: Ask, at_s: float, pids: AbstractSet[int], ports: Iterable[int]) -> bool:
        """Look up the peers of these processes; returns whether the files to read have changed.

        Args:
            ask: Sends a request there.
            at_s: Now.
            pids: The server's processes.
            ports: Where it listens; connections to these are its users'.

        """
        if at_s < self._find_s or not pids:
            return False
        self._began_s = min(self._began_s, at_s)
        is_known = bool(self.peers or self._unix.paths)
        is_eager = not is_known and at_s < self._began_s + EAGER_FOR_S
        self._find_s = at_s + (EAGER_S if is_eager else FIND_S)
        accepted = " or ".join(f"sport = :{port}" for port in ports)
        others = f" 'not ( {accepted} )'" if accepted else ""
        question = (
            script.titled(_WHOSE, f"ss -Htnpe {_STATES}{others}"),
            script.titled(_LISTENING, "ss -Hltnp"),
            script.titled(_UNIX, WHOSE_UNIX),
        )
        texts = script.texts(ask("; ".join(question)))
        own = [one for one in connections(texts.get(f"/{_WHOSE}", "")) if one.pids & pids]
        self._users |= {one.user for one in own}
        for one in own:
            if len(self.peers) < PEERS_MAX:
                self.peers.setdefault(one.peer)
        behind, programs = self._unix.find(texts.get(f"/{_UNIX}", ""), pids)
        self.programs |= programs
        behind = (behind | self._listening(texts.get(f"/{_LISTENING}", ""))) - pids
        return bool(behind) and self._join(ask, behind)

    def question(self, at_s: float) -> str | None:
        """The request to send now; None if it is too early, or there is no other server."""
        if at_s < self._look_s or not (self.peers or self._unix.paths):
            return None
        self._look_s = at_s + LOOK_S - 0.5
        parts = [self._unix.question()]
        if self.peers:
            ports = sorted({peer.rpartition(":")[2] for peer in self.peers})
            to, at = (
                " or ".join(f"{end} = :{port}" for port in ports) for end in ("dport", "sport")
            )
            asked = (
                f"ss -Htnie {_STATES} '( {to} )'; ss -Htn state listening state close '( {at} )'"
            )
            parts.append(script.titled(TITLE, asked))
        return "; ".join(part for part in parts if part is not None)

    def forget_previous(self) -> None:
        """Drop the previous reading, so that no rates are computed from it."""
        self._behind.forget_previous()

    def files(self) -> list[str]:
        """The files of the programs behind it, for each second."""
        titles: list[str] = []
        if any(name.startswith(_POSTGRESQL) for name in self.programs.values()):
            titles = [_title(pid) for pid in self._behind.started]
        return self._behind.files() + titles

    def figures(self, at_s: float, texts: Mapping[str, str]) -> dict[str, float]:
        """Figures from what was read of them."""
        asked = texts.get(f"/{TITLE}"), texts.get(f"/{TITLE_UNIX}")
        values: dict[str, float] = {}
        if any(text is not None for text in asked):
            values = _figures(self._counts(asked[0] or ""), self.peers)
            paths = [UNIX + path for path in self._unix.paths]
            local = _figures(self._unix.counts(asked[1] or ""), paths)
            for name in (CONNECTIONS, WAITING):
                local[name] += values[name]
            values |= local
        if self._behind.started:
            used = self._behind.figures(at_s, texts)
            values |= {name: used[of] for name, of in NAMES.items() if of in used}
            values |= of_sessions(self._behind.started, lambda pid: texts.get(_title(pid)))
        return values

    def _counts(self, text: str) -> Counts:
        found = [
            one for one in connections(text) if one.peer in self.peers and one.user in self._users
        ]
        waiting = Counter(one.peer for one in found if one.is_waiting)
        queued = {
            peer: queue
            for place, queue, _ in listening(text)
            for peer in self.peers
            if _is_at(place, peer)
        }
        return Counts(Counter(one.peer for one in found), waiting, Counter(queued))

    def _listening(self, text: str) -> set[int]:
        """The processes of that machine that listen at a peer's address."""
        found: set[int] = set()
        for place, _, line in listening(text):
            for peer in self.peers:
                if _is_at(place, peer):
                    found |= _pids(line)
                    if program := _PROGRAM.search(line):
                        self.programs[peer] = program[1]
        return found

    def _join(self, ask: Ask, behind: set[int]) -> bool:
        """Add processes and their descendants; returns whether any is new."""
        texts = script.texts(ask(script.matching(["/proc/[0-9]*/stat"])))
        parents = {
            one.pid: one.parent for text in texts.values() if (one := parse_stat(text)) is not None
        }
        return self._behind.join(descendants(parents, behind, 0), texts.get)


def _figures(counts: Counts, peers: Iterable[str]) -> dict[str, float]:
    """Counters of all peers together and of each; of queues only known ones."""
    values: dict[str, float] = {
        CONNECTIONS: counts.there.total(),
        WAITING: counts.waiting.total(),
    }
    for peer in peers:
        values[instance_name(CONNECTIONS, PEER, peer)] = counts.there[peer]
        values[instance_name(WAITING, PEER, peer)] = counts.waiting[peer]
        if peer in counts.queued:
            values[instance_name(ACCEPT_QUEUE, PEER, peer)] = counts.queued[peer]
    return values


def listening(text: str) -> Iterator[tuple[Place, int, str]]:
    """The listening places in the output of ss(8), with the accept queue and the whole line."""
    for line in text.splitlines():
        words = line.split()
        place = place_of_ss(words[3]) if len(words) > 3 and words[0] == "LISTEN" else None
        queue = integer(words[1]) if place is not None else None
        if place is not None and queue is not None:
            yield place, queue, line


def _is_at(place: Place, peer: str) -> bool:
    """Whether connections to a peer lead to this listening socket of the server's machine."""
    return listens_at(Listener(0, place.family, place.address, place.port, 0, None), peer)


def connections(text: str) -> Iterator[Connection]:
    """The connections in the output of ss(8), where one may continue on further lines."""
    whole: list[str] = []
    for line in text.splitlines():
        if line[:1].isspace() and whole:
            whole[-1] += line
        else:
            whole.append(line)
    for line in whole:
        words = line.split(maxsplit=5)
        place = place_of_ss(words[4]) if len(words) > 4 else None
        if place is None:
            continue
        info = {name: integer(number) or 0 for name, number in _INFO.findall(line)}
        talk = Talk(*(info.get(name, 0) for name in _INFO_NAMES))
        user = _USER.search(line)
        yield Connection(
            peer_name(Outgoing(0, place.family, place.address, place.port, is_waiting=False)),
            words[0] == _SYN_SENT or talk.is_waiting,
            int(user[1]) if user else 0,
            frozenset(_pids(line)),
        )


def _title(pid: int) -> str:
    return f"/proc/{pid}/cmdline"


def _pids(line: str) -> set[int]:
    return {int(pid) for pid in _PID.findall(line)}
