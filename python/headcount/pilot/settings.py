"""Files of the kernel that modules change: what they write, and what restores the files."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from headcount.counters.proc.files import integer, read_text
from headcount.tune.processes.groups import CPU_FILES

PRIORITY, MEMORY, WRITEBACK, INTERRUPTS = "priority", "memory", "writeback", "interrupts"
RAISED = 10
"""Factor on the CPU share of a server's control group."""
BACKGROUND_BYTES, MOST_BYTES = 16 << 20, 64 << 20
"""Dirty memory at which the kernel starts to write it, and at which writers have to wait: a disk of
100 MB/s writes the first in a sixth of a second."""
_WRITEBACK = (
    ("dirty_background_bytes", "dirty_background_ratio", BACKGROUND_BYTES),
    ("dirty_bytes", "dirty_ratio", MOST_BYTES),
)
"""One amount under two names each: the one written last counts, and the other reads 0, which it
does not take back (https://docs.kernel.org/admin-guide/sysctl/vm.html)."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One file that a module changes.

    Attributes:
        module: The module's name.
        file: What it writes to.
        wanted: Returns what it writes; called each time.
        original: The value that restores it.
        back: Where that value is written; usually the same file.

    """

    module: str
    file: str
    wanted: Callable[[], str]
    original: str
    back: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What modules may change on this machine.

    Attributes:
        found: The files.
        obstacles: Why a module has no files, as a clause, by its name.

    """

    found: Sequence[Setting] = ()
    obstacles: Mapping[str, str] = field(default_factory=dict)

    def __add__(self, other: "Settings") -> "Settings":
        """The settings of both."""
        return Settings([*self.found, *other.found], {**self.obstacles, **other.obstacles})


def fixed(module: str, file: Path, original: str, wanted: str, back: Path | None = None) -> Setting:
    """A setting whose wanted value is known already; `back` is where the original goes to."""
    return Setting(module, str(file), lambda: wanted, original, str(back or file))


def shares(groups: Iterable[Path]) -> list[Setting]:
    """CPU shares of the server's own control groups; none gets less than it has."""
    found = []
    for folder in groups:
        for name, usual in CPU_FILES.items():
            now = integer((read_text(str(folder / name)) or "").strip())
            if now is not None:
                raised = str(max(now, usual * RAISED))
                found.append(fixed(PRIORITY, folder / name, str(now), raised))
    return found


def memory(groups: Mapping[str, str], root: Path) -> Settings:
    """Protection of the memory that the server's own control group uses (`memory.low`).

    A group has at most the protection of those above it, so theirs grows by as much.

    Args:
        groups: The folders of the group, by controller.
        root: The folder in which the hierarchy of version 2 is mounted.

    """
    folder = Path(groups["unified"]) if "unified" in groups else None
    if folder is None or integer(read_text(str(folder / "memory.current")) or "") is None:
        old = "its control group is version 1, which cannot protect memory"
        none = "it has no control group of its own to protect"
        return Settings(obstacles={MEMORY: old if "memory" in groups else none})
    if not os.access(folder / "memory.low", os.W_OK):
        return Settings(obstacles={MEMORY: f"{folder / 'memory.low'} cannot be written"})
    use = _Use(folder / "memory.current")
    found = []
    for number, one in enumerate((folder, *folder.parents)):
        now = (read_text(str(one / "memory.low")) or "").strip()
        if one == root or not now:  # the root group has none
            break
        before = integer(now)
        if before is not None:  # "max" protects everything
            wanted = use.at_least(before) if number == 0 else use.beside(before)
            found.append(Setting(MEMORY, str(one / "memory.low"), wanted, now, f"{one}/memory.low"))
    if not found or found[0].file != str(folder / "memory.low"):
        return Settings(obstacles={MEMORY: "all of its memory is protected already"})
    return Settings(found)


class _Use:
    """The most memory that a group was seen to use: reclaimed pages are to come back."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._most = 0

    def _bytes(self) -> int:
        self._most = max(self._most, integer(read_text(str(self._file)) or "") or 0)
        return self._most

    def at_least(self, before: int) -> Callable[[], str]:
        """Returns that, but at least `before`."""
        return lambda: str(max(before, self._bytes()))

    def beside(self, before: int) -> Callable[[], str]:
        """Returns that plus what was protected before."""
        return lambda: str(before + self._bytes())


def writeback(vm: Path) -> Settings:
    """How much memory may wait to be written to disks; `vm` is the folder of those settings."""
    found = []
    for in_bytes, in_percent, wanted in _WRITEBACK:
        size, share = ((read_text(str(vm / name)) or "").strip() for name in (in_bytes, in_percent))
        if integer(size) is None or integer(share) is None:
            return Settings(obstacles={WRITEBACK: "this kernel has no such setting"})
        if not os.access(vm / in_bytes, os.W_OK):  # such as in a container
            return Settings(obstacles={WRITEBACK: f"{vm / in_bytes} cannot be written"})
        if size == "0":
            found.append(fixed(WRITEBACK, vm / in_bytes, share, str(wanted), vm / in_percent))
        elif int(size) > wanted:
            found.append(fixed(WRITEBACK, vm / in_bytes, size, str(wanted)))
    if not found:
        return Settings(obstacles={WRITEBACK: "the kernel's limits are already that low"})
    return Settings(found)
