"""Which control groups processes are in, from ``/proc/PID/cgroup``.

Format: cgroups(7). Version 1 has a group for each controller, which may differ; version 2 has one,
called ``unified`` here.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from headcount.counters.proc import cgroup
from headcount.counters.proc.cgroup import CONTROLLERS, UNLIMITED_BYTES, Cgroup, folders
from headcount.counters.proc.files import integer, read_int, read_text

_ROOT = "/"
_NOT_OF_A_SERVICE = re.compile(
    r".*\.slice|init\.scope|(session-|app-|vte-spawn-|tmux-spawn-).*\.scope|"
    r"(user@|(serial-|console-)?getty@).*\.service|(sshd?|cron|crond|atd)(@.*)?\.service"
)
"""Groups of systemd that hold whatever a user started: slices, logins and their windows, jobs.

https://systemd.io/DESKTOP_ENVIRONMENTS and systemd.special(7). The programs of a login are in the
group of sshd if no session is registered."""


@dataclass(frozen=True, slots=True)
class Group:
    """One reading of a control group, and its folder in each hierarchy."""

    where: Mapping[str, str]
    reading: Cgroup

    def figures(self, previous: "Group | None", elapsed_s: float) -> dict[str, float]:
        """Gauges, and rates since the previous reading if that was of the same group."""
        values = cgroup.gauges(self.reading)
        if previous is not None and previous.where == self.where:
            values |= cgroup.delta(previous.reading, self.reading, elapsed_s)
        return values


def parse(text: str) -> dict[str, str]:
    """Parse ``/proc/PID/cgroup`` to the group's name by controller, of those that are read."""
    names: dict[str, str] = {}
    for line in text.splitlines():
        _, first, rest = line.partition(":")
        controllers, second, name = rest.partition(":")
        # The kernel shows a group outside our own namespace as "/..", which is unreachable.
        if not first or not second or not name.startswith(_ROOT) or name.startswith("/.."):
            continue
        for controller in controllers.split(",") if controllers else ["unified"]:
            if controller in CONTROLLERS:
                names[controller] = name
    return names


def parse_mounts(text: str) -> dict[str, str]:
    """Parse ``/proc/self/mountinfo`` to the group at the root of each hierarchy's mount.

    In a container without a cgroup namespace, that is the container's own group, whose name is a
    prefix of all group names.
    """
    roots: dict[str, str] = {}
    for line in text.splitlines():
        place, dash, kind = line.partition(" - ")
        words, mount = place.split(), kind.split()
        if not dash or len(words) < 5 or len(mount) < 3:
            continue
        if mount[0] == "cgroup2":
            roots.setdefault("unified", words[3])
        elif mount[0] == "cgroup":
            for option in mount[2].split(","):
                if option in CONTROLLERS:
                    roots.setdefault(option, words[3])
    return roots


def paths(
    proc: str, pid: int | str, text: Callable[[str], str | None] = read_text
) -> dict[str, str]:
    """Return the groups of a process by controller; empty if it has gone.

    `text` reads a file, for example of another machine.
    """
    names = parse(text(f"{proc}/{pid}/cgroup") or "")
    roots = parse_mounts(text(f"{proc}/self/mountinfo") or "")
    return {
        controller: _below(roots.get(controller, _ROOT), name) for controller, name in names.items()
    }


def shared_paths(
    proc: str, pids: Iterable[int], text: Callable[[str], str | None] = read_text
) -> dict[str, str]:
    """Return the groups, by controller, that have all these processes and not this one.

    Never the root, a slice or a login's group. A group that holds Headcount too shows nothing about
    the server.
    """
    ours = paths(proc, "self", text)
    common: dict[str, str] | None = None
    for pid in pids:
        theirs = paths(proc, pid, text)
        if theirs:
            common = theirs if common is None else dict(common.items() & theirs.items())
    return {
        controller: name
        for controller, name in (common or {}).items()
        if is_of_service(name) and not _holds(name, ours.get(controller, _ROOT))
    }


def is_of_service(name: str) -> bool:
    """Whether a group belongs to a single service or container, judging by its name."""
    return name != _ROOT and not _NOT_OF_A_SERVICE.fullmatch(name.rpartition("/")[2])


def limits(
    sys: Path,
    names: Mapping[str, str],
    text: Callable[[str], str | None] = read_text,
    has: Callable[[str], bool] = cgroup.exists,
) -> dict[str, float]:
    """The limits of groups and of those above them: the lowest set of each kind.

    `cpu` in cores, `memory` in bytes, and `processes` (threads count as well).
    """
    found: dict[str, float] = {}
    while names:
        where = folders(sys, names, has)
        reading = cgroup.read(where, text)
        most = integer(text(f"{where['unified']}/pids.max") or "") if "unified" in where else None
        for name, value in (
            ("cpu", reading.cpu_limit),
            ("memory", reading.memory_limit_bytes),
            ("processes", most),
        ):
            if value is not None:
                found[name] = min(found.get(name, value), value)
        above = {controller: name.rpartition("/")[0] for controller, name in names.items()}
        names = {controller: name for controller, name in above.items() if name}
    return found


def limiting(sys: Path, names: Mapping[str, str]) -> dict[str, str]:
    """The groups without those that are the whole machine: the root, unless it is a container's.

    The root of a namespace looks like the machine's, but can be limited: in version 2 every group
    but the machine's has a type, in version 1 a limit is set.
    """
    where = folders(sys, names)
    return {
        controller: name
        for controller, name in names.items()
        if controller in where and (name != _ROOT or _is_limited(controller, where))
    }


def _is_limited(controller: str, where: Mapping[str, str]) -> bool:
    folder = where[controller]
    if controller == "unified":
        return read_text(f"{folder}/cgroup.type") is not None
    if controller == "memory":
        limit = read_int(f"{folder}/memory.limit_in_bytes")
        return limit is not None and limit < UNLIMITED_BYTES
    quota = read_int(f"{where.get('cpu', folder)}/cpu.cfs_quota_us")  # -1 for no quota
    return quota is not None


def _below(root: str, name: str) -> str:
    """A group's name relative to the mounted group."""
    if root == _ROOT:
        return name
    if name == root:
        return _ROOT
    return name[len(root) :] if name.startswith(f"{root}/") else name


def _holds(group: str, other: str) -> bool:
    """Whether a group is the other one, or above it."""
    return other == group or other.startswith(f"{group}/")
