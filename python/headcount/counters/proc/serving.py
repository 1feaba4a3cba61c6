"""From the addresses of a server on this machine to its processes and its control group.

Formats: proc(5) (net/tcp, fd, cmdline, cgroup).
"""

import ipaddress
import os
import pwd
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from headcount.counters.proc import groups, tree
from headcount.counters.proc.cgroup import folders
from headcount.counters.proc.files import read_text
from headcount.counters.proc.process import Process, parse_stat
from headcount.counters.proc.sockets import Listener, inodes, open_table

_INIT = 1
_INET, _INET6 = 2, 10
_MAPPED = bytes(10) + b"\xff\xff"
"""In front of an IPv4 address in an IPv6 socket (RFC 4291, 2.5.5.2)."""
_PASSES_ON = frozenset(
    ("ssh", "docker-proxy", "rootlessport", "rootlesskit", "slirp4netns", "kubectl", "socat")
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
        """Those that take connections to this place: the kernel prefers those with its address."""
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
        pids: The processes at the root of its tree; none where they are not known.
        how: How they were found, or by whom they were named.
        names: Names of all its processes, by process id.
        control_group: The control group of the service by controller; empty without one.
        limits: Its limits and those of the groups above it: `cpu` in cores, `memory` in bytes,
            `processes`.
        missing: What could not be read, and how to get it; None where nothing is missing.

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
    """Find the server that listens on some places of this machine, or that processes belong to.

    Args:
        places: Where it listens.
        named: Processes that somebody says are the server's; then nothing is looked for.
        named_by: Who says so.
        proc: Where procfs is mounted.
        sys: Where sysfs is mounted.

    """
    if named:
        holders, missing = {pid for pid in named if _stat(proc, pid) is not None}, None
        how = named_by
        if not holders:
            missing = f"the processes {_listed(named)} have ended"
    else:
        holders, missing = _holders(places, proc)
        how = f"listens on {' and '.join(place.text for place in places)}"
    if not holders:
        return Found(missing=missing)
    tops = {pid if named else _master(proc, pid) for pid in holders}
    group = groups.shared_paths(os.fspath(proc), tops)
    everybody = tops | (_members(sys, group) - _ours(proc))
    pids = tuple(roots(everybody, proc))
    whole = tree.read(os.fspath(proc), pids, None, besides=frozenset({os.getpid()}))
    names = {pid: _name(proc, pid) for pid in sorted(whole.processes)}
    return Found(pids, how, names, group, groups.limits(sys, group), missing)


def roots(pids: set[int], proc: Path = Path("/proc")) -> list[int]:
    """Those of some processes whose parent is none of them."""
    kept = []
    for pid in sorted(pids):
        process = _stat(proc, pid)
        if process is not None and not process.ended and process.parent not in pids:
            kept.append(pid)
    return kept


def processes(proc: Path) -> list[int]:
    """All process ids."""
    return [int(name) for name in os.listdir(proc) if name.isdigit()]  # noqa: PTH208 - hot path


def _holders(places: Sequence[Place], proc: Path) -> tuple[set[int], str | None]:
    """The processes that hold the listening sockets of places, and what cannot be known."""
    try:
        with closing(open_table(os.fspath(proc), None, None)) as table:
            everybody = table.listeners()
    except OSError:
        return set(), "the sockets of this machine cannot be read: name the server with --pid"
    holders: set[int] = set()
    missing = []
    for place in places:
        wanted = {one.inode for one in place.of_listeners(everybody)}
        held = {pid for pid in processes(proc) if wanted & inodes(os.fspath(proc), [pid])}
        # Where a service is started by its first connection, init holds its socket, too.
        held -= {os.getpid()} | ({_INIT} if len(held) > 1 else set())
        passing = {pid for pid in held if _name(proc, pid) in _PASSES_ON}
        holders |= held - passing - {_INIT}
        if not held - passing - {_INIT}:
            missing.append(_why(place, wanted, held, proc))
    return holders, "; ".join(missing) or None


def _why(place: Place, wanted: set[int], held: set[int], proc: Path) -> str:
    """Why the server of a place is not known, and what to do."""
    if not wanted:
        return (
            f"no socket of this machine listens on {place.text}, so the server's processes are "
            "not known: name them with --pid"
        )
    if held:
        name = _name(proc, min(held))
        return (
            f"{name} listens on {place.text} on behalf of another program, so the server's "
            "processes are not known: name them with --pid"
        )
    user = _owner(proc, wanted)
    return (
        f"the processes that listen on {place.text} may not be looked into, so the server's CPU "
        f"and memory are not counted: run as root or as {user}, or name them with --pid"
    )


def _owner(proc: Path, wanted: set[int]) -> str:
    """The user that a socket belongs to, in words."""
    for table in ("tcp", "tcp6"):
        for line in (read_text(f"{proc}/net/{table}") or "").splitlines()[1:]:
            words = line.split(maxsplit=10)
            if len(words) > 9 and words[9].isdigit() and int(words[9]) in wanted:
                try:
                    return f"the user {pwd.getpwuid(int(words[7])).pw_name}"
                except (KeyError, ValueError):
                    return f"the user {words[7]}"
    return "the server's user"


def _master(proc: Path, pid: int) -> int:
    """The process that started a worker: the furthest ancestor that runs the same program.

    Of a worker that listens where its master does not. Ancestors of Headcount are nobody's master.
    """
    ours = _ours(proc)
    for _ in range(len(ours) + 1000):
        one = _stat(proc, pid)
        if one is None or one.parent in ours or one.parent <= _INIT:
            break
        if not _is_same_program(proc, pid, one.parent):
            break
        pid = one.parent
    return pid


def _is_same_program(proc: Path, one: int, other: int) -> bool:
    """Whether two processes run the same command, or have titles of the same program."""
    lines = [read_text(f"{proc}/{pid}/cmdline") or "" for pid in (one, other)]
    if not all(lines) or _name(proc, one) != _name(proc, other):
        return False
    # Servers that set titles begin them with their name: "nginx: worker process".
    title = f"{_name(proc, one)}:"
    return lines[0] == lines[1] or all(line.startswith(title) for line in lines)


def _ours(proc: Path) -> set[int]:
    """Headcount's own process and its ancestors."""
    found: set[int] = set()
    pid = os.getpid()
    while pid > 0 and pid not in found:
        found.add(pid)
        one = _stat(proc, pid)
        pid = one.parent if one is not None else 0
    return found


def _members(sys: Path, group: dict[str, str]) -> set[int]:
    """The processes in a control group and those below it."""
    found: set[int] | None = None
    for folder in folders(sys, group).values():
        inside = {
            int(word)
            for path, _, _ in os.walk(folder)
            for word in (read_text(f"{path}/cgroup.procs") or "").split()
            if word.isdigit() and word != "0"  # 0: of another namespace
        }
        found = inside if found is None else found & inside
    return found or set()


def _stat(proc: Path, pid: int) -> Process | None:
    return parse_stat(read_text(f"{proc}/{pid}/stat") or "")


def _name(proc: Path, pid: int) -> str:
    return (read_text(f"{proc}/{pid}/comm") or "").strip() or "?"


def _listed(pids: Iterable[int]) -> str:
    return ", ".join(str(pid) for pid in pids)
