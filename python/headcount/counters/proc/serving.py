"""Finds the processes and the control group of a server by its addresses.

Formats: proc(5) (net/tcp, fd, cmdline, cgroup).
"""

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from headcount.counters.proc import groups
from headcount.counters.proc.forwarded import container_behind
from headcount.counters.proc.machine import Machine, ThisMachine
from headcount.counters.proc.named import NOBODY, Named, resolve
from headcount.counters.proc.process import Process, parse_stat
from headcount.counters.proc.sockets import Listener

_INIT = 1
_INET, _INET6 = 2, 10
_MAPPED = bytes(10) + b"\xff\xff"
"""Prefix of an IPv4 address in an IPv6 socket (RFC 4291, 2.5.5.2)."""
_PASSES_ON = frozenset(
    (
        "ssh",
        "docker-proxy",
        "dockerd",
        "conmon",
        "rootlessport",
        "rootlesskit",
        "slirp4netns",
        "kubectl",
        "socat",
    )
)
"""Programs that listen on behalf of a server elsewhere: in a container, or on another machine."""


@dataclass(frozen=True, slots=True)
class Place:
    """An address and a port, as a socket has them; the address is 16 bytes, of IPv4 the first 4."""

    text: str
    family: int
    address: bytes
    port: int

    @classmethod
    def of(cls, text: str) -> "Place":
        """Read `ip:port` or `[ip]:port`."""
        host, _, port = text.rpartition(":")
        parsed = ipaddress.ip_address(host.strip("[]").partition("%")[0])
        family = _INET if parsed.version == 4 else _INET6
        return cls(text, family, parsed.packed.ljust(16, b"\0"), int(port))

    def of_listeners(self, everybody: Iterable[Listener]) -> list[Listener]:
        """Sockets that get connections to this place: the kernel prefers those with its address."""
        same = [one for one in everybody if one.port == self.port]
        exact = [(self.family, self.address)]
        any_address = [(_INET6, bytes(16))]
        if self.family == _INET:
            exact.append((_INET6, _MAPPED + self.address[:4]))
            any_address.insert(0, (_INET, bytes(16)))
        for wanted in (exact, *([one] for one in any_address)):
            if found := [one for one in same if (one.family, one.address) in wanted]:
                return found
        return []


@dataclass(frozen=True, slots=True)
class Found:
    """A server of this machine, as it was found.

    Attributes:
        pids: The processes at the root of its tree; none if unknown.
        how: How they were found, or by whom they were named.
        names: Names of all its processes, by process id.
        control_group: The control group of the service by controller; empty without one.
        limits: Its limits and those of the groups above it: `cpu` in cores, `memory` in bytes,
            `processes`.
        missing: What could not be read, and how to get it; None if nothing is missing.

    """

    pids: tuple[int, ...] = ()
    how: str = ""
    names: dict[int, str] = field(default_factory=dict)
    control_group: dict[str, str] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    missing: str | None = None


def find(
    places: Sequence[Place],
    named: Sequence[int] = (),
    named_by: str = "named",
    proc: Path = Path("/proc"),
    sys: Path = Path("/sys"),
) -> Found:
    """Find the server of this machine that listens on some places, or that processes belong to.

    Args:
        places: Where it listens.
        named: Processes that the user says are the server's; then nothing is searched for.
        named_by: Who named them.
        proc: Where procfs is mounted.
        sys: Where sysfs is mounted.

    """
    return find_on(ThisMachine(str(proc), sys), places, Named(pids=tuple(named), by=named_by))


def find_on(machine: Machine, places: Sequence[Place], named: Named = NOBODY) -> Found:
    """Find the server that listens on some places of a machine, or that the user named."""
    group = None
    if named:
        resolved = resolve(machine, named)
        holders, group, missing, how = resolved.pids, resolved.group, resolved.missing, named.how
    else:
        holders, missing, how = _holders(places, machine)
    if not holders:
        return Found(missing=missing)
    tops = holders if named else {_master(machine, pid) for pid in holders}
    if group is None:
        group = groups.shared_paths(machine.proc, tops, machine.text)
    everybody = tops | (machine.members(group) - _ours(machine))
    pids = tuple(roots(everybody, machine))
    names = {pid: program_name(machine, pid) for pid in machine.whole(pids)}
    limits = groups.limits(machine.sys, group, machine.text, machine.has)
    return Found(pids, how, names, group, limits, missing)


def roots(pids: set[int], machine: Machine) -> list[int]:
    """The processes whose parent is not among them."""
    kept = []
    for pid in sorted(pids):
        process = _stat(machine, pid)
        if process is not None and not process.ended and process.parent not in pids:
            kept.append(pid)
    return kept


def _holders(places: Sequence[Place], machine: Machine) -> tuple[set[int], str | None, str]:
    """Processes that hold the listening sockets of places, what is missing, and how found."""
    how = f"listens on {' and '.join(place.text for place in places)}"
    try:
        everybody = machine.listeners()
    except OSError:
        text = f"the sockets of {machine.name} cannot be read: name the server with --pid"
        return set(), text, how
    holders: set[int] = set()
    missing = []
    for place in places:
        wanted = {one.inode for one in place.of_listeners(everybody)}
        held = machine.holders(wanted) if wanted else set()
        # If its first connection starts a service, init holds the socket, too.
        held -= {machine.own} | ({_INIT} if len(held) > 1 else set())
        passing = {pid for pid in held if program_name(machine, pid) in _PASSES_ON}
        serving = held - passing - {_INIT}
        if not serving and (serving := _in_container(passing, machine)):
            how = f"{how}, through {program_name(machine, min(passing))}"
        if not held and (serving := _by_group(wanted, machine)):
            how = f"{how}, by its control group"
        holders |= serving
        if not serving:
            missing.append(_why(place, wanted, held, machine))
    return holders, "; ".join(missing) or None, how


def _in_container(passing: set[int], machine: Machine) -> set[int]:
    """The processes of the containers that some programs forward to."""
    behind = [container_behind(machine, pid) for pid in sorted(passing)]
    ids = tuple(dict.fromkeys(one for one in behind if one is not None))
    return resolve(machine, Named(containers=ids)).pids


def _by_group(wanted: set[int], machine: Machine) -> set[int]:
    """The processes of the services in whose control groups sockets were created.

    Everybody may read that, unlike which process holds a socket.
    """
    found: set[int] = set()
    for name in machine.socket_groups(wanted) if wanted else ():
        if groups.is_of_service(name):
            found |= machine.members({"unified": name})
    return found


def _why(place: Place, wanted: set[int], held: set[int], machine: Machine) -> str:
    """Why the server of a place is unknown, and what to do."""
    if not wanted:
        return (
            f"no socket of {machine.name} listens on {place.text}, so the server's processes are "
            "not known: name them with --pid, --unit or --container"
        )
    if held:
        name = program_name(machine, min(held))
        return (
            f"{name} listens on {place.text} on behalf of another program, so the server's "
            "processes are not known: name them with --container or --pid"
        )
    return (
        f"the processes that listen on {place.text} may not be looked into, so the server's CPU "
        f"and memory are not counted: {machine.remedy(_owner(machine, wanted))}"
    )


def _owner(machine: Machine, wanted: set[int]) -> str | None:
    """The user that a socket belongs to: its name, else its number."""
    for table in ("tcp", "tcp6"):
        for line in (machine.text(f"{machine.proc}/net/{table}") or "").splitlines()[1:]:
            words = line.split(maxsplit=10)
            if len(words) > 9 and words[9].isdigit() and int(words[9]) in wanted:
                number = int(words[7]) if words[7].isdigit() else None
                return words[7] if number is None else machine.user(number) or words[7]
    return None


def _master(machine: Machine, pid: int) -> int:
    """The process that started a worker: the furthest ancestor that runs the same program.

    For workers that listen although their master does not. Ancestors of Headcount never count as
    masters.
    """
    ours = _ours(machine)
    for _ in range(len(ours) + 1000):
        one = _stat(machine, pid)
        if one is None or one.parent in ours or one.parent <= _INIT:
            break
        if not _is_same_program(machine, pid, one.parent):
            break
        pid = one.parent
    return pid


def _is_same_program(machine: Machine, one: int, other: int) -> bool:
    """Whether two processes run the same command, or have titles of the same program."""
    name = program_name(machine, one)
    if name != program_name(machine, other):
        return False
    lines = [machine.text(f"{machine.proc}/{pid}/cmdline") or "" for pid in (one, other)]
    if not all(lines):
        return False
    # Servers that set titles begin them with their name: "nginx: worker process".
    title = f"{name}:"
    return lines[0] == lines[1] or all(line.startswith(title) for line in lines)


def _ours(machine: Machine) -> set[int]:
    """The process that reads the machine, and its ancestors."""
    found: set[int] = set()
    pid = machine.own
    while pid > 0 and pid not in found:
        found.add(pid)
        one = _stat(machine, pid)
        pid = one.parent if one is not None else 0
    return found


def _stat(machine: Machine, pid: int) -> Process | None:
    return parse_stat(machine.text(f"{machine.proc}/{pid}/stat") or "")


def program_name(machine: Machine, pid: int) -> str:
    """A program's name as the kernel has it: in brackets, which it may itself hold."""
    text = machine.text(f"{machine.proc}/{pid}/stat") or ""
    return text.partition("(")[2].rpartition(")")[0].strip() or "?"
