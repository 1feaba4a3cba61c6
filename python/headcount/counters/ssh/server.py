"""A server behind SSH: found as one of this machine is, then followed second by second.

Its processes are searched for again when they have ended, and every five minutes; new children and
new processes of its control group join every ten seconds. Each second costs the other machine one
`head` over the files of its processes, every other one an `ss`.
"""

import ipaddress
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from socket import AF_INET

from headcount.counters.origin import OLD_S
from headcount.counters.proc import cgroup, cpu
from headcount.counters.proc import host as hosts
from headcount.counters.proc.files import rate
from headcount.counters.proc.groups import Group
from headcount.counters.proc.machine import descendants
from headcount.counters.proc.process import parse_stat
from headcount.counters.proc.programs import FOREIGN, OWN, ignores_children
from headcount.counters.proc.serving import Found, Place, find_on
from headcount.counters.proc.sockets import Listener
from headcount.counters.query import FarQuery
from headcount.counters.ssh import members, script, table
from headcount.counters.ssh.machine import Ask, FarMachine
from headcount.counters.ssh.members import Members, Units
from headcount.counters.ssh.table import FarTable
from headcount.counters.ssh.upstream import FarUpstreams

JOIN_S = 10.0
"""How often to look for new children: that reads a file of each process of the machine."""
FIND_S = 300.0
"""How often to search for everything again: that reads all descriptors."""
LOST_S = 10.0
"""How often to search for a server that has ended or was not found."""
_NETWORK = ("net/dev", "net/snmp", "net/netstat")
_NS_PER_S = 1e9


@dataclass(frozen=True, slots=True)
class _Reading:
    at_s: float
    stat: cpu.CpuStat
    group: Group
    own_ticks: int | None


@dataclass(slots=True)
class FarServer:
    """One server, for the length of a login.

    Attributes:
        query: Which server it is.
        units: The units of its machine.
        found: As it was found last.

    """

    query: FarQuery
    units: Units
    found: Found = field(default_factory=Found)
    _members: Members = field(init=False)
    _table: FarTable = field(init=False)
    _at: Sequence[Place] = ()
    _places: Sequence[Place] | None = None
    _where: Mapping[str, str] = field(default_factory=dict)
    _net: str | None = None
    _is_lossy: bool = False
    _is_defined: bool = False
    _previous: _Reading | None = None
    _upstreams: FarUpstreams = field(init=False)
    _find_s: float = float("-inf")
    _join_s: float = float("-inf")
    _extra: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Follow no process yet."""
        self._members = Members(self.units)
        self._upstreams = FarUpstreams(self.units)
        self._table = FarTable((), None)

    @property
    def programs_behind(self) -> Mapping[str, str]:
        """The programs of its machine that it is connected to, by address."""
        return self._upstreams.programs

    def look(self, machine: FarMachine, ask: Ask, at_s: float) -> None:
        """Search for it now, and see what can be read; raises TargetError without an answer."""
        self._at = _places(machine, self.query.places)
        found = find_on(machine, self._at, self.query.named)
        self._find_s = at_s + (FIND_S if found.pids else LOST_S)
        self._join_s = at_s + JOIN_S
        if found.pids or not self.found.pids:
            self.found = found
        self._members.join(machine.whole(found.pids), machine.text)
        first = next(iter(self._members.started), None)
        self._members.io = first is not None and bool(machine.text(f"/proc/{first}/io"))
        self._where = cgroup.folders(machine.sys, found.control_group, machine.has)
        self._is_lossy = _ignores_children(list(self._members.started), ask)
        self._net = _own_network(first, ask)
        self._table, self._places = self._sockets(machine, ask)
        self._is_defined = False

    def is_due(self, at_s: float) -> bool:
        """Whether to search for it now."""
        if not self._members.started and self.found.pids:
            return at_s >= self._find_s - FIND_S + LOST_S
        return at_s >= self._find_s

    def join(self, ask: Ask, at_s: float) -> None:
        """Add new processes, and the peers that they are connected to, if it is time."""
        pids = list(self._members.started)
        # ss(8) shows the login's network namespace.
        if self._net is None:
            ports = {place.port for place in self._at}
            if self._upstreams.find(ask, at_s, set(pids), ports):
                self._is_defined = False
        if at_s < self._join_s or not pids:
            return
        self._join_s = at_s + JOIN_S
        lists = [f"{folder}/cgroup.procs" for folder in self._where.values()]
        question = "; ".join(
            (
                script.matching(["/proc/[0-9]*/stat"]),
                script.files(lists),
                members.descriptors_question(pids),
            )
        )
        texts = script.texts(ask(question))
        self._extra = members.descriptors(texts.get(f"/{members.DESCRIPTORS}", ""), pids)
        parents = {
            one.pid: one.parent
            for path, text in texts.items()
            if path.startswith("/proc/") and (one := parse_stat(text)) is not None
        }
        inside = [set(map(int, texts.get(path, "").split())) for path in lists]
        group = set.intersection(*inside) if inside else set()
        whole = descendants(parents, [*pids, *group], 0)
        if self._members.join(whole, texts.get):
            self._is_defined = False

    def question(self, at_s: float) -> str:
        """The request for this second, including the machine's own files."""
        due = self._members.due()
        patterns = self._members.patterns()
        call = "_".join(("often", *due))
        parts = [] if self._is_defined else [self._definition(patterns)]
        self._is_defined = True
        parts += [call]
        asked = (self._table.question(at_s), self._upstreams.question(at_s))
        return "; ".join([*parts, *(one for one in asked if one is not None)])

    def _definition(self, patterns: Mapping[str, Sequence[str]]) -> str:
        """Shell functions, which send long lists only once: shells read byte by byte."""
        asked: list[str] = []
        if self._where:
            cgroup.read(self._where, asked.append)
        paths = ["/proc/uptime", *self._members.files(), *self._upstreams.files(), *asked]
        if self._net is not None:
            paths += [f"{self._net}/{name.removeprefix('net/')}" for name in _NETWORK]
        quoted = script.quoted(dict.fromkeys(paths))
        lines = [f'often() {{ {script.HOST} {quoted} "$@"; }}']
        for due in (each for n in range(len(patterns)) for each in combinations(patterns, n + 1)):
            globs = " ".join(one for name in due for one in patterns[name])
            lines.append(f"{'_'.join(('often', *due))}() {{ often {globs}; }}")
        return "; ".join(lines)

    def host_text(self, texts: Mapping[str, str], name: str) -> str:
        """A file of the machine; those of the network are of the server's namespace."""
        if self._net is not None and name in _NETWORK:
            name = f"{self._net.removeprefix('/proc/')}/{name.removeprefix('net/')}"
        return texts.get(f"/proc/{name}", "")

    def figures(
        self, at_s: float, texts: Mapping[str, str], host: hosts.Host, own_ticks: int | None
    ) -> dict[str, float]:
        """Counters of its processes, group and sockets; rates since the previous reading.

        Args:
            at_s: When it was read.
            texts: The answer.
            host: The machine's figures.
            own_ticks: CPU time that reading has taken there so far.

        """
        if (sockets := texts.get(f"/{table.TITLE}")) is not None:
            self._table.take(sockets, at_s)
            values = table.figures(self._table, self._places)
        else:
            values = {}
        was = self._previous
        if was is not None and at_s - was.at_s > OLD_S:
            was = None
            self._members.forget_previous()
            self._upstreams.forget_previous()
        values |= self._members.figures(at_s, texts) | self._upstreams.figures(at_s, texts)
        if self._members.started:
            values |= self._extra
        self._extra = {}
        reading = cgroup.read(self._where, texts.get) if self._where else cgroup.Cgroup()
        now = _Reading(at_s, host.stat, Group(self._where, reading), own_ticks)
        elapsed_s = at_s - was.at_s if was is not None else 0.0
        values |= now.group.figures(was.group if was is not None else None, elapsed_s)
        self._previous = now
        if was is not None:
            values |= self._of_others(was, now, values)
        return values

    def _of_others(
        self, was: _Reading, now: _Reading, values: Mapping[str, float]
    ) -> dict[str, float]:
        """CPU of programs that are neither the server nor the reader; see `proc.programs`."""
        before, after = cpu.program_ticks(was.stat), cpu.program_ticks(now.stat)
        elapsed_s = now.at_s - was.at_s
        everybody = rate(before, after, elapsed_s)
        reader = rate(was.own_ticks, now.own_ticks, elapsed_s)
        used = rate(was.group.reading.cpu_ns, now.group.reading.cpu_ns, elapsed_s)
        server = (
            used / _NS_PER_S if used is not None and was.group.where == now.group.where else None
        )
        if server is None and not self._is_lossy:
            server = values.get(OWN)
        if everybody is None or server is None:
            return {}
        others = (everybody - (reader or 0.0)) / self.units.ticks_per_s - server
        return {FOREIGN: max(0.0, others)}

    def _sockets(self, machine: FarMachine, ask: Ask) -> tuple[FarTable, Sequence[Place] | None]:
        """The table to read, and which places in it count; None for all."""
        if self._net is None:
            net = None if machine.sockets else "/proc/net"
            return FarTable((place.port for place in self._at), net), self._at
        # In a namespace of its own, a server listens at other addresses than the target's.
        text = script.texts(
            ask(script.titled(table.TITLE, f"grep -e ' 0A ' {self._net}/tcp {self._net}/tcp6"))
        )
        return FarTable.of_namespace(self._net, text.get(f"/{table.TITLE}", "")), None


def _places(machine: FarMachine, places: Sequence[Place]) -> list[Place]:
    """The local addresses at which a server listens that is reached at some places.

    Behind NAT or a load balancer its addresses differ; the port is the same.
    """
    with suppress(OSError):
        everybody = machine.listeners()
        return [
            own
            for place in places
            for own in (
                [place]
                if place.of_listeners(everybody)
                else _elsewhere(place.port, everybody) or [place]
            )
        ]
    return list(places)


def _elsewhere(port: int, everybody: Sequence[Listener]) -> list[Place]:
    """The places at a port that are reachable from other machines."""
    found = []
    for one in everybody:
        address = ipaddress.ip_address(one.address[: 4 if one.family == AF_INET else 16])
        if one.port == port and not address.is_loopback:
            host = f"[{address}]" if address.version == 6 else str(address)
            found.append(Place(f"{host}:{port}", one.family, one.address, port))
    return found


def _own_network(pid: int | None, ask: Ask) -> str | None:
    """Where to read a process's network, None if that is the login's or unknown."""
    if pid is None:
        return None
    names = [
        line.rpartition(" -> ")[2]
        for line in ask(f"ls -l /proc/self/ns/net /proc/{pid}/ns/net")
        if " -> net:[" in line
    ]
    return f"/proc/{pid}/net" if len(set(names)) == 2 else None


def _ignores_children(pids: Sequence[int], ask: Ask) -> bool:
    if not pids:
        return False
    answer = ask(f"grep -h SigIgn {script.quoted(f'/proc/{pid}/status' for pid in pids)}")
    return any(ignores_children(line) for line in answer)
