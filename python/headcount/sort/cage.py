"""Limits the memory of one process, page cache included: a control group.

The paper limited the memory of its machine. A control group comes near to that: it also counts the
pages of files that the process reads and writes, and the kernel reclaims them at the limit.
"""

import contextlib
import time
from dataclasses import dataclass
from pathlib import Path

from headcount.errors import SystemLimitError

GROUPS = Path("/sys/fs/cgroup")
TRIES, PAUSE_S = 50, 0.02
"""The kernel lets an empty group be removed only after a moment: a second at most."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Where groups are made, and the name of the file with the limit.

    Attributes:
        folder: The folder of the group in which ours are made.
        limit: The file that takes the limit.
        version: Of control groups: 1 or 2.

    """

    folder: Path
    limit: str
    version: int


def hierarchy(mounts: str, own: str) -> Hierarchy | str:
    """Where this process may make groups with a memory limit; if nowhere, a sentence that says so.

    `mounts` is the text of /proc/self/mountinfo, `own` that of /proc/self/cgroup (cgroups(7)).
    """
    groups = [line.split(":", 2) for line in own.splitlines() if line.count(":") >= 2]
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        left, right = before.split(), after.split()
        if len(left) < 5 or len(right) < 3:
            continue
        mounted = Path(left[4])
        if right[0] == "cgroup2":
            path = next((path for number, _, path in groups if number == "0"), None)
            found = _unified_hierarchy(mounted, path) if path is not None else None
            if found is not None:
                return found
        elif right[0] == "cgroup" and "memory" in right[2].split(","):
            path = next((path for _, names, path in groups if "memory" in names.split(",")), "/")
            for folder in (mounted / path.lstrip("/"), mounted):
                if (folder / "memory.limit_in_bytes").exists():
                    return Hierarchy(folder, "memory.limit_in_bytes", 1)
    return (
        "this system offers no control group for memory here, so --memory cannot be kept; leave it "
        "out, or run as root, or under: systemd-run --user --scope -p Delegate=yes"
    )


def _unified_hierarchy(mounted: Path, path: str) -> Hierarchy | None:
    """The nearest group, from our own upwards, that passes the memory controller on."""
    own = mounted / path.lstrip("/")
    for folder in (own, *own.parents):
        if not folder.is_relative_to(mounted):
            return None
        with contextlib.suppress(OSError):
            if "memory" in (folder / "cgroup.subtree_control").read_text("ascii").split():
                return Hierarchy(folder, "memory.max", 2)
    return None


class Cage:
    """A group with a limit; removed by `close`."""

    def __init__(self, place: Hierarchy, name: str, limit_bytes: int) -> None:
        """Make the group.

        Raises SystemLimitError if the user may not.
        """
        self._folder = place.folder / name
        try:
            self._folder.mkdir()
        except OSError as error:
            raise SystemLimitError(
                f"cannot keep --memory: making the control group {self._folder} failed "
                f"({error.strerror}); leave --memory out, or run as root"
            ) from error
        try:
            (self._folder / place.limit).write_text(str(limit_bytes), "ascii")
            if place.version == 2:
                with contextlib.suppress(OSError):  # a kernel without swap accounting
                    (self._folder / "memory.swap.max").write_text("0", "ascii")
        except OSError as error:
            self.close()
            raise SystemLimitError(
                f"cannot keep --memory: the control group refused a limit of {limit_bytes} bytes "
                f"({error.strerror}); leave --memory out"
            ) from error

    def hold(self, pid: int) -> None:
        """Move a process into the group: memory that it uses from now on counts.

        Raises SystemLimitError.
        """
        try:
            (self._folder / "cgroup.procs").write_text(str(pid), "ascii")
        except OSError as error:
            raise SystemLimitError(
                f"cannot keep --memory: the control group refused the process ({error.strerror}); "
                "leave --memory out, or run as root"
            ) from error

    def close(self) -> None:
        """Remove the group, whose process has ended."""
        for _ in range(TRIES):
            with contextlib.suppress(FileNotFoundError):
                try:
                    self._folder.rmdir()
                except FileNotFoundError:
                    return
                except OSError:
                    time.sleep(PAUSE_S)
                    continue
            return
