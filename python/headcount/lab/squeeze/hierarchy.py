"""Where control groups are on this machine, and in which of them this process is.

Version 1 has a tree of groups for each controller, version 2 one tree for all; both may be mounted
side by side, and a controller belongs to one of them. New groups are made below the group of this
process, so that limits on Headcount also hold for what it starts. In version 2 only groups without
processes of their own may delegate controllers, so there it may be a group further up.

Formats: cgroups(7), proc(5) `/proc/pid/mountinfo`; cgroup-v1/cgroups.rst; cgroup-v2.rst.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

V1_CONTROLLERS = ("cpu", "cpuacct", "cpuset", "memory", "blkio")
"""Controllers that limit or count what is limited here."""


@dataclass(frozen=True)
class Hierarchies:
    """The folders of this process's own groups.

    Attributes:
        v1: By controller of version 1; controllers that are mounted together share a folder.
        v2: In version 2; None if it is not mounted or the group is not visible.
        v2_root: Where version 2 is mounted.

    """

    v1: Mapping[str, Path] = field(default_factory=dict)
    v2: Path | None = None
    v2_root: Path | None = None


def find(proc: Path = Path("/proc")) -> Hierarchies:
    """Find them; empty if there are no control groups."""
    try:
        mounts = (proc / "self/mountinfo").read_text("utf-8", errors="replace")
        groups = (proc / "self/cgroup").read_text("utf-8", errors="replace")
    except OSError:
        return Hierarchies()
    own = dict(_own_groups(groups))
    v1: dict[str, Path] = {}
    v2 = v2_root = None
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        left, right = before.split(), after.split()
        if len(left) < 5 or len(right) < 3:
            continue
        root, place = _unescaped(left[3]), Path(_unescaped(left[4]))
        if right[0] == "cgroup2" and v2 is None:
            v2_root, v2 = place, _below(place, root, own.get(""))
        elif right[0] == "cgroup":
            for controller in set(right[2].split(",")) & set(V1_CONTROLLERS):
                folder = _below(place, root, own.get(controller))
                if folder is not None:
                    v1.setdefault(controller, folder)
    return Hierarchies(v1, v2, v2_root)


def _own_groups(text: str) -> list[tuple[str, str]]:
    """Controller and path of each group that a process is in; version 2 has the controller ""."""
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        found += [(controller, path) for controller in controllers.split(",")]
    return found


def _below(place: Path, root: str, group: str | None) -> Path | None:
    """The folder of a group below a mount of the tree from `root` on; None if it is not in it."""
    if group is None or group.startswith("/.."):  # outside of this process's namespace
        return None
    if root != "/":
        if group != root and not group.startswith(root + "/"):
            return None
        group = group[len(root) :]
    return place / group.strip("/")


def _unescaped(text: str) -> str:
    """A path of mountinfo, in which blanks and some other characters are octal escapes."""
    for code in ("040", "011", "012", "134"):
        text = text.replace(f"\\{code}", chr(int(code, 8)))
    return text
