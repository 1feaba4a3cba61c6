"""The interface for finding a server on a machine: this one, or one behind SSH."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from headcount.counters.proc import tree
from headcount.counters.proc.cgroup import exists, folders
from headcount.counters.proc.files import integer, read_text
from headcount.counters.proc.sockets import Listener, inodes, open_table

RUNTIMES = ("docker", "podman", "nerdctl")
"""Clients that answer `inspect` with Docker's format."""
PID_OF_CONTAINER = "{{.State.Pid}}"
"""A container's first process, as the machine numbers it; 0 of one that is not running."""
_RUNTIME_S = 5.0


class Machine(Protocol):
    """A machine's procfs and sysfs, for lookups that may take a while."""

    @property
    def name(self) -> str:
        """The machine in a sentence."""
        ...

    @property
    def own(self) -> int:
        """The process that reads it, which is no part of any server."""
        ...

    @property
    def proc(self) -> str:
        """Where procfs is mounted."""
        ...

    @property
    def sys(self) -> Path:
        """Where sysfs is mounted."""
        ...

    def text(self, path: str) -> str | None:
        """A whole virtual file; None where it is missing or denied."""
        ...

    def has(self, path: str) -> bool:
        """Whether there is this file or folder."""
        ...

    def pids(self) -> list[int]:
        """All process ids that are seen."""
        ...

    def listeners(self) -> list[Listener]:
        """All listening sockets; raises OSError where they cannot be read."""
        ...

    def holders(self, wanted: AbstractSet[int]) -> set[int]:
        """The processes that hold one of these sockets, of those that may be looked into."""
        ...

    def socket_groups(self, wanted: AbstractSet[int]) -> set[str]:
        """The control groups (version 2) that these sockets were made in, where that is known."""
        ...

    def whole(self, roots: Iterable[int]) -> list[int]:
        """Some processes with all their descendants, but for the reader."""
        ...

    def members(self, group: Mapping[str, str]) -> set[int]:
        """The processes in a control group, named by controller, and those below it."""
        ...

    def container(self, name: str) -> int | None:
        """The first process of a container, as a runtime knows it; None where none does."""
        ...

    def user(self, number: int) -> str | None:
        """A user's name; None of one without."""
        ...

    def remedy(self, user: str | None) -> str:
        """What to do to see processes of a user, None if that is not known."""
        ...


@dataclass(frozen=True, slots=True)
class ThisMachine:
    """The machine that Headcount runs on, or files that look like one."""

    proc: str = "/proc"
    sys: Path = Path("/sys")

    @property
    def name(self) -> str:
        """The machine in a sentence."""
        return "this machine"

    @property
    def own(self) -> int:
        """Headcount itself."""
        return os.getpid()

    def text(self, path: str) -> str | None:
        """A whole virtual file."""
        return read_text(path)

    def has(self, path: str) -> bool:
        """Whether there is this file or folder."""
        return exists(path)

    def pids(self) -> list[int]:
        """All process ids."""
        return processes(self.proc)

    def listeners(self) -> list[Listener]:
        """All listening sockets of our network namespace."""
        with closing(open_table(self.proc, None, None)) as table:
            return table.listeners()

    def holders(self, wanted: AbstractSet[int]) -> set[int]:
        """Look into the descriptors of all."""
        return {pid for pid in self.pids() if wanted & inodes(self.proc, [pid])}

    def socket_groups(self, wanted: AbstractSet[int]) -> set[str]:
        """Not asked for here."""
        del wanted
        return set()

    def whole(self, roots: Iterable[int]) -> list[int]:
        """Some processes with all their descendants."""
        found = tree.read(self.proc, roots, None, besides=frozenset({self.own}))
        return sorted(found.processes)

    def members(self, group: Mapping[str, str]) -> set[int]:
        """As the folders of the group list them."""
        found: set[int] | None = None
        for folder in folders(self.sys, group).values():
            inside = set(_listed(path for path, _, _ in os.walk(folder)))
            found = inside if found is None else found & inside
        return found or set()

    def container(self, name: str) -> int | None:
        """As the clients of runtimes say that are installed here."""
        for runtime in RUNTIMES:
            if (program := shutil.which(runtime)) is None:
                continue
            command = [program, "inspect", "--format", PID_OF_CONTAINER, "--", name]
            with suppress(OSError, subprocess.SubprocessError):
                ended = subprocess.run(
                    command, capture_output=True, text=True, timeout=_RUNTIME_S, check=False
                )
                if pid := integer(ended.stdout):
                    return pid
        return None

    def user(self, number: int) -> str | None:
        """As the system's databases name them."""
        try:
            return pwd.getpwuid(number).pw_name
        except KeyError:
            return None

    def remedy(self, user: str | None) -> str:
        """Who may look into the processes of that user."""
        whom = f"the user {user}" if user is not None else "the server's user"
        return f"run as root or as {whom}, or name them with --pid"


def processes(proc: str | Path) -> list[int]:
    """All process ids."""
    return [int(name) for name in os.listdir(proc) if name.isdigit()]  # noqa: PTH208 - hot path


def descendants(parents: Mapping[int, int], roots: Iterable[int], own: int) -> list[int]:
    """Some processes and all below them, by each process's parent, but for `own`."""
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    pending = [pid for pid in roots if pid in parents]
    found: set[int] = set()
    while pending:
        pid = pending.pop()
        if pid not in found and pid != own:
            found.add(pid)
            pending += children.get(pid, ())
    return sorted(found)


def _listed(paths: Iterable[str]) -> Collection[int]:
    return [
        int(word)
        for path in paths
        for word in (read_text(f"{path}/cgroup.procs") or "").split()
        if word.isdigit() and word != "0"  # 0: of another namespace
    ]
