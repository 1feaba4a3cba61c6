"""A control group that is read each second, and found again after its processes were moved."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from headcount.counters.proc import cgroup
from headcount.counters.proc.cgroup import Cgroup, folders
from headcount.counters.proc.groups import Group
from headcount.counters.proc.kept_files import Files

_RENEW_S = 5.0
"""How often the group's folders are looked up; they exist before a server starts."""


class GroupReader:
    """Reads the control group that some processes are in.

    Args:
        proc: Where procfs is mounted.
        sys: Where sysfs is mounted.
        files: Reads the files.
        find: Finds the group's name, or its names by controller.

    """

    def __init__(
        self,
        proc: str,
        sys: Path,
        files: Files,
        find: Callable[[], str | Mapping[str, str]],
    ) -> None:
        """Look for nothing yet."""
        self._proc = proc
        self._sys = sys
        self._files = files
        self._find = find
        self._texts: list[str | None] = []
        self._where: Mapping[str, str] = {}
        self._due_s = float("-inf")

    def read(self, at_s: float, pids: Sequence[int | str]) -> Group:
        """Read the group now; if one of the processes was moved, its new group."""
        texts = [self._files.text(f"{self._proc}/{pid}/cgroup") for pid in pids]
        if at_s >= self._due_s or texts != self._texts:
            self._texts = texts
            self._where = folders(self._sys, self._find())
            self._due_s = at_s + _RENEW_S
        where = self._where
        return Group(where, cgroup.read(where, self._files.text) if where else Cgroup())
