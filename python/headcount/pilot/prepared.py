"""A server whose treatment may change: its present treatment is recorded first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from headcount.pilot.interrupts import System, interrupts, network_irqs
from headcount.pilot.journal import Journal, new_folder
from headcount.pilot.machine import Places
from headcount.pilot.settings import memory, writeback
from headcount.pilot.treatment import Treatment
from headcount.tune.host import Host
from headcount.tune.journal import PATIENCE_S
from headcount.tune.left import journals_folder
from headcount.tune.servers.linux import scheduler_of

KIND = "pilot"
"""The folder of journals."""
SYS, VM = Path("/sys"), Path("/proc/sys/vm")


@dataclass(frozen=True)
class Prepared:
    """A server with its way back.

    Attributes:
        roots: Its first processes.
        treatment: What is changed.
        journal: The way back. Close it.
        scheduler: The I/O scheduler of its disk; None if it cannot be seen.
        places: Where to look beside it.
        obstacles: Why modules cannot help on this machine, by their names.

    """

    roots: Sequence[int]
    treatment: Treatment
    journal: Journal
    scheduler: str | None
    places: Places
    obstacles: Mapping[str, str]


def prepare(
    host: Host, roots: Sequence[int], groups: Mapping[str, str], patience_s: int = PATIENCE_S
) -> Prepared:
    """Record how a server is treated; `groups` are control groups of its own, by controller.

    Its guard acts after `patience_s` without a sign of life. Raises HeadcountError.
    """
    system = System()
    settings = memory(groups, _root(SYS)) + writeback(VM) + interrupts(system)
    treatment = Treatment(roots, map(Path, groups.values()), settings.found)
    folder = new_folder(journals_folder(host, KIND))
    journal = Journal(host, folder, treatment.script, patience_s)
    treatment.note = journal.note
    places = Places(network_irqs(system), _pressure(groups))
    return Prepared(
        roots, treatment, journal, scheduler_of(host, roots), places, settings.obstacles
    )


def _root(sys: Path) -> Path:
    """Where control groups of version 2 are mounted: alone, or beside version 1."""
    root = sys / "fs/cgroup"
    return root if (root / "cgroup.controllers").exists() else root / "unified"


def _pressure(groups: Mapping[str, str]) -> str | None:
    """The file with the memory pressure of the server's own control group."""
    file = Path(groups["unified"]) / "memory.pressure" if "unified" in groups else None
    return str(file) if file is not None and file.exists() else None
