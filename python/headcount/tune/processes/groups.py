"""The control groups of a server: their weights, and who else is in them.

Formats: https://docs.kernel.org/admin-guide/cgroup-v2.html (cpu.weight, io.weight) and
https://docs.kernel.org/admin-guide/cgroup-v1/ (cpu.shares, blkio.bfq.weight). Weights of the other
files are computed as systemd 252 does (src/core/cgroup.c), whose drop-in file is handed out.
"""

import posixpath
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from headcount.errors import InputError
from headcount.tune.host import Host

ROOT = "/sys/fs/cgroup"
CPU_FILES = {"cpu.weight": 100, "cpu.shares": 1024}
"""Files with a group's share of the CPUs, and the usual share."""
_MEMBERS = 'find "$1" -name cgroup.procs -exec cat {} + 2> /dev/null; :'
_NUMBER = re.compile(r"(?:default )?([0-9]+)")


@dataclass(frozen=True, slots=True)
class Weight:
    """A file with a weight.

    Attributes:
        path: The file.
        text: Its first line now.
        written: The file's text for a weight on systemd's scale.

    """

    path: str
    text: str
    written: Callable[[int], str]


def _bfq(weight: int) -> int:
    return weight if weight <= 100 else 100 + (weight - 100) * 900 // 9900


CPU: Mapping[str, Callable[[int], str]] = {
    "cpu.weight": str,
    "cpu.shares": lambda weight: str(max(weight * 1024 // 100, 2)),
}
IO: Mapping[str, Callable[[int], str]] = {
    "io.weight": lambda weight: f"default {weight}",
    "io.bfq.weight": lambda weight: f"default {_bfq(weight)}",
    "blkio.bfq.weight": lambda weight: str(_bfq(weight)),
}
MOST_WEIGHT = 10_000


@dataclass(frozen=True, slots=True)
class Group:
    """A control group in one hierarchy.

    Attributes:
        folder: Where it is.
        members: The processes in it and in the groups below it.

    """

    folder: str
    members: frozenset[int]

    def is_of(self, pids: Collection[int]) -> bool:
        """Whether no other process is in it."""
        return bool(self.members) and self.members <= {*pids}


def group_of(host: Host, pid: int, controller: str, files: Collection[str]) -> Group | None:
    """The innermost group of a process that has one of these files; None where none has.

    The root group of a hierarchy has none of them.
    """
    folder, top = _folder(host, pid, controller)
    while folder.startswith(f"{top}/"):
        if any(_first_line(host, f"{folder}/{name}") is not None for name in files):
            output = host.run(["sh", "-c", _MEMBERS, "sh", folder]).output
            return Group(folder, frozenset(map(int, output.split())))
        folder = posixpath.dirname(folder)
    return None


def own_folder(host: Host, pid: int, controller: str) -> str:
    """The folder of the group that a process is in itself."""
    return _folder(host, pid, controller)[0]


def _folder(host: Host, pid: int, controller: str) -> tuple[str, str]:
    """The folder of a process's group, and the hierarchy it is in."""
    text = (host.read(f"/proc/{pid}/cgroup") or b"").decode(errors="replace")
    names: dict[str, str] = {}
    for line in text.splitlines():
        number, controllers, name = line.split(":", 2)
        names |= {one: name for one in controllers.split(",") if number != "0"}
        if number == "0":
            names["unified"] = name
    old = "blkio" if controller == "io" else controller
    if old in names:
        top = f"{ROOT}/{old}"
    elif host.read(f"{ROOT}/cgroup.controllers") is not None:
        top, old = ROOT, "unified"
    else:
        top, old = f"{ROOT}/unified", "unified"
    return posixpath.normpath(f"{top}/{names.get(old, '').strip('/')}"), top


def weights(host: Host, folder: str, files: Mapping[str, Callable[[int], str]]) -> Sequence[Weight]:
    """The files of a group with its weight."""
    found = []
    for name, written in files.items():
        text = _first_line(host, f"{folder}/{name}")
        if text is not None:
            found.append(Weight(f"{folder}/{name}", text, written))
    return found


def value_of(weight: Weight) -> str:
    """The weight of a file on systemd's scale: the least that gives the same text."""
    found = _NUMBER.match(weight.text)
    if found is None:
        return weight.text
    wanted = int(found[1])
    low, high = 1, MOST_WEIGHT
    while low < high:
        middle = (low + high) // 2
        known = _NUMBER.match(weight.written(middle))
        if known is not None and int(known[1]) < wanted:
            low = middle + 1
        else:
            high = middle
    return str(low)


def _first_line(host: Host, path: str) -> str | None:
    try:
        content = host.read(path)
    except InputError:  # it has gone, or may not be read
        return None
    return None if content is None else content.decode("ascii", "replace").partition("\n")[0]
