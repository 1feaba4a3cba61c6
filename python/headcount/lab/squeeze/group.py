"""A control group of a run: processes that are limited and accounted for together.

Groups are named after the run's process, so that groups of dead runs can be found and removed.
"""

import contextlib
import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from itertools import count
from pathlib import Path

from headcount.errors import MachineLimitError
from headcount.lab.keeper import descendants
from headcount.lab.squeeze.files import numbers, put, refusal
from headcount.lab.squeeze.hierarchy import Hierarchies
from headcount.lab.squeeze.limits import NONE, Limits

PREFIX = "headcount-"
NAME = re.compile(r"headcount-([0-9]+)-[a-z]+-[0-9]+")
"""The process that made it, what it is for, and a number."""
PROCS = "cgroup.procs"
PERIOD_US = 100_000
"""The period of the CPU quota, the kernel's default (sched-bwc.rst)."""
LEAST_US = 1000
"""Least CPU time in a period that the kernel accepts."""
ROUNDS = 20
"""Most passes that look for children started while their parents moved."""
GONE_S = 5.0
"""How long the last processes of a group have to disappear before it is left behind."""

_numbers = count(1)


def new_name(purpose: str) -> str:
    """A name that no other group of this machine has."""
    return f"{PREFIX}{os.getpid()}-{purpose}-{next(_numbers)}"


class Group(ABC):
    """A control group, there until it is removed.

    Attributes:
        name: Its folder's name.
        version: The version of control groups that limits: 1 or 2.
        folders: Its folders, in each hierarchy that it is in.
        limits: Those in force.

    """

    version: int

    def __init__(self, name: str, homes: dict[Path, Path]) -> None:
        """Make its folders; `homes` has the parent of each, and where members came from.

        Raises SystemLimitError if that is not allowed.
        """
        self.name = name
        self.limits = NONE
        self._origins = {home / name: origin for home, origin in homes.items()}
        self.folders = tuple(self._origins)
        try:
            for folder in self.folders:
                folder.mkdir()
                self.prepare(folder)
        except OSError as error:
            self.remove()
            raise refusal("make a control group", error) from error

    @abstractmethod
    def prepare(self, folder: Path) -> None:
        """Make a new folder ready for processes; raises OSError."""

    @abstractmethod
    def apply(self, limits: Limits, device: str | None) -> None:
        """Write limits to the group's files; raises OSError."""

    def limit(self, limits: Limits, device: str | None = None) -> None:
        """Replace the limits in force, even while processes work.

        `device` is the disk for the disk limits, as `major:minor`. Raises SystemLimitError.
        """
        try:
            self.apply(limits, device)
        except OSError as error:
            raise refusal("limit the server's processes", error) from error
        self.limits = limits

    def add(self, pids: Iterable[int]) -> None:
        """Move processes in with all their descendants; later ones start in it."""
        roots = list(pids)
        inside: set[int] = set()
        for _ in range(ROUNDS):
            everyone = {pid for root in roots for pid in (root, *descendants(root))}
            new = everyone - inside
            if not new:
                return
            for pid in new:
                self.add_one(pid)
            inside |= new

    def add_one(self, pid: int) -> None:
        """Move one process in; one that has just ended is skipped."""
        self._move(pid, self.folders)

    def release(self, pid: int) -> None:
        """Move a process back to where this one's processes were when the group was made."""
        self._move(pid, [self._origins[folder] for folder in self.folders])

    def _move(self, pid: int, folders: Iterable[Path]) -> None:
        try:
            for folder in folders:
                with contextlib.suppress(ProcessLookupError):
                    put(folder / PROCS, str(pid))
        except OSError as error:
            raise refusal(f"move process {pid} to another control group", error) from error

    def pids(self) -> set[int]:
        """The processes that are in it now."""
        found: set[int] = set()
        for folder in self.folders:
            with contextlib.suppress(OSError):
                found |= set(numbers(folder / PROCS))
        return found

    def remove(self) -> None:
        """Remove it when its processes have ended; safe to call twice. Leaves what is in use."""
        remove(self.folders)


def remove(folders: Iterable[Path], patience_s: float = GONE_S) -> bool:
    """Remove folders of groups, waiting for dead processes; returns whether all are removed."""
    left = list(folders)
    end_s = time.monotonic() + patience_s
    while True:
        for folder in list(left):
            try:
                folder.rmdir()
            except FileNotFoundError:
                left.remove(folder)
            except OSError:  # in use
                continue
            else:
                left.remove(folder)
        if not left or time.monotonic() > end_s:
            return not left
        time.sleep(0.02)


def sweep(hierarchies: Hierarchies) -> None:
    """Remove the groups of dead runs; those with processes in them stay."""
    places = {*hierarchies.v1.values()}
    if hierarchies.v2 is not None and hierarchies.v2_root is not None:
        places |= set(up_to(hierarchies.v2, hierarchies.v2_root))
    for place in places:
        for folder in place.glob(f"{PREFIX}*"):
            match = NAME.fullmatch(folder.name)
            if match and not Path(f"/proc/{match[1]}").exists():
                remove([folder], 0.0)


def up_to(folder: Path, root: Path) -> list[Path]:
    """A folder and its parents up to the root."""
    return [one for one in (folder, *folder.parents) if one.is_relative_to(root)]


def make(purpose: str, hierarchies: Hierarchies, needed: frozenset[str] = frozenset()) -> Group:
    """Make a group that can enforce limits of the controllers `needed` (names of version 2).

    Version 1 is used for what it controls on this machine, else version 2. Raises SystemLimitError
    that says what is missing.
    """
    from headcount.lab.squeeze.v1 import V1Group  # noqa: PLC0415 - they derive from this
    from headcount.lab.squeeze.v2 import V2Group  # noqa: PLC0415

    if not hierarchies.v1 and hierarchies.v2 is None:
        raise MachineLimitError(
            "this machine has no control groups mounted, or shows none to this process: limits and "
            "figures of a server alone need them; run where /sys/fs/cgroup is"
        )
    if hierarchies.v1:
        return V1Group(new_name(purpose), hierarchies, needed)
    return V2Group(new_name(purpose), hierarchies, needed)
