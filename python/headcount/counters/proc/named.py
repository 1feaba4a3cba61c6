"""A server that the user named: by its processes, systemd unit, control group or container."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from headcount.counters.proc import groups
from headcount.counters.proc.cgroup import CONTROLLERS
from headcount.counters.proc.machine import Machine

_MOUNTED = re.compile(rf"/sys/fs/cgroup(/({'|'.join(CONTROLLERS)}|systemd|pids|blkio)\b)?(?=/|$)")
_ID = re.compile(r"[0-9a-f]{12,64}")
"""What runtimes print of a container: 12 digits at least."""
_CONTAINER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
"""Names that runtimes allow; they have no characters that are special to a shell."""
_UNITS = (".service", ".scope", ".slice", ".socket", ".mount", ".swap")
"""The endings of units with a control group; systemctl adds `.service` to any other name."""

Groups = dict[str, str]


@dataclass(frozen=True, slots=True)
class Named:
    """What the user says belongs to a server.

    Attributes:
        pids: Processes.
        units: Units of systemd, with or without `.service`.
        cgroups: Control groups, as `/system.slice/web.service` or a folder of `/sys/fs/cgroup`.
        containers: Names or ids of containers.
        by: Who named them, if not an option of the command line.

    """

    pids: tuple[int, ...] = ()
    units: tuple[str, ...] = ()
    cgroups: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    by: str = ""

    def __bool__(self) -> bool:
        """Whether anything is named."""
        return bool(self.pids or self.units or self.cgroups or self.containers)

    @property
    def number(self) -> int:
        """How many are named."""
        return len(self.pids) + len(self.units) + len(self.cgroups) + len(self.containers)

    @property
    def is_a_group(self) -> bool:
        """Whether a control group is named, in one way or another."""
        return bool(self.units or self.cgroups or self.containers)

    @property
    def options(self) -> list[str]:
        """The options that name something."""
        return [option for name, option in _OPTIONS.items() if getattr(self, name)]

    def record(self) -> dict[str, list[str]]:
        """What is named, as texts, for the bundle."""
        named = {name: [str(one) for one in getattr(self, name)] for name in _OPTIONS}
        return {name: texts for name, texts in named.items() if texts}

    @classmethod
    def of(cls, record: Mapping[str, Sequence[str]]) -> "Named":
        """What was named, read back from a bundle."""
        pids, units, cgroups, containers = (tuple(record.get(name, ())) for name in _OPTIONS)
        return cls(tuple(int(pid) for pid in pids), units, cgroups, containers)

    @property
    def how(self) -> str:
        """Who named the server."""
        return self.by or f"named with {' and '.join(self.options)}"


NOBODY = Named()
_OPTIONS = {
    "pids": "--pid",
    "units": "--unit",
    "cgroups": "--cgroup",
    "containers": "--container",
}


@dataclass(frozen=True, slots=True)
class Resolved:
    """The processes that were named, their group if one was named, and what was not found."""

    pids: set[int]
    group: Groups | None = None
    missing: str | None = None


def resolve(machine: Machine, named: Named) -> Resolved:
    """Look for what was named."""
    pids = {pid for pid in named.pids if machine.text(f"{machine.proc}/{pid}/stat")}
    missing = [
        f"--pid {pid}: there is no such process on {machine.name}"
        for pid in named.pids
        if pid not in pids
    ]
    found: list[Groups] = []
    for finder, asked in (
        (_of_unit, named.units),
        (_of_cgroup, named.cgroups),
        (_of_container, named.containers),
    ):
        for text in asked:
            group, members, why = finder(machine, text)
            pids |= members
            found += [group] if group else []
            missing += [why] if why else []
    # Counters are of one group: with several, none represents the server.
    shared = found[0] if len(found) == 1 and not named.pids else None
    return Resolved(pids, shared, "; ".join(missing) or None)


_Outcome = tuple[Groups, set[int], str | None]


def _of_unit(machine: Machine, text: str) -> _Outcome:
    unit = text if text.endswith(_UNITS) else f"{text}.service"
    found = _below(machine, lambda name: _through(name, lambda part: part == unit))
    if len(found.names) > 1:
        several = " or ".join(f"--cgroup {name}" for name in sorted(found.names))
        return {}, set(), f"--unit {text}: {machine.name} has several of that name: give {several}"
    why = (
        f'--unit {text}: no process of {machine.name} is in a control group "{unit}"; is it '
        f"running (systemctl status {unit})?"
    )
    return found.group, found.members, None if found.members else why


def _of_cgroup(machine: Machine, text: str) -> _Outcome:
    path = "/" + _MOUNTED.sub("", text).strip("/")

    def at(name: str) -> str | None:
        return path if name == path or name.startswith(f"{path.rstrip('/')}/") else None

    found = _below(machine, at)
    why = f"--cgroup {text}: no process of {machine.name} is in that control group"
    return found.group, found.members, None if found.members else why


def _of_container(machine: Machine, text: str) -> _Outcome:
    if not _CONTAINER.fullmatch(text):
        return {}, set(), f'--container: "{text}" cannot be the name of a container'

    def is_its(part: str) -> bool:
        bare = part.removesuffix(".scope").removesuffix(".service")
        if _ID.fullmatch(text):
            return bare.rpartition("-")[2].startswith(text)
        # LXC and systemd-nspawn name groups after the container.
        return bare in (text, f"lxc.payload.{text}", f"machine-{text}", f"systemd-nspawn@{text}")

    found = _below(machine, lambda name: _through(name, is_its))
    group, members = found.group, found.members
    if not members and (pid := machine.container(text)) is not None:
        group = groups.paths(machine.proc, pid, machine.text)
        group = {one: name for one, name in group.items() if name != "/"}
        members = {pid} | machine.members(group)
    why = (
        f"--container {text}: {machine.name} has no running container with that name or ID that "
        "Headcount can see; check docker ps or podman ps there, or name its process with --pid"
    )
    return group, members, None if members else why


@dataclass(frozen=True, slots=True)
class _Below:
    """Processes in matching groups: their group by controller, and the names of all such groups."""

    group: Groups
    members: set[int]
    names: set[str]


def _below(machine: Machine, part_of: Callable[[str], str | None]) -> _Below:
    """The processes in a group or below it; `part_of` cuts the name of a group down to that one.

    Membership shows in any hierarchy, including systemd's own.
    """
    group: Groups = {}
    members: set[int] = set()
    names: set[str] = set()
    for pid in machine.pids():
        if pid == machine.own:
            continue
        text = machine.text(f"{machine.proc}/{pid}/cgroup") or ""
        found = {at for line in text.splitlines() if (at := part_of(line.split(":", 2)[-1]))}
        if found:
            members.add(pid)
            names |= found
        for controller, name in groups.parse(text).items():
            if (at := part_of(name)) is not None:
                group.setdefault(controller, at)
    return _Below(group, members, names)


def _through(name: str, is_wanted: Callable[[str], bool]) -> str | None:
    """A group's name up to its first matching part; None if no part matches."""
    parts = name.split("/")
    for place, part in enumerate(parts):
        if part and is_wanted(part):
            return "/".join(parts[: place + 1])
    return None
