"""What rules need to know about a machine besides counters: CPUs, memory, spindles."""

from dataclasses import dataclass
from typing import Literal

from headcount.analyse.rules.series import Frame

Known = Literal["given", "from the log", "assumed", "unknown"]

CPUS = "system.cpu.logical.count"
MEMORY = "system.memory.limit"
OF_ITS_TIME_BYTES = 4 * 2**30
"""The most memory a 32-bit Windows NT could use: the old rules apply in full to a Windows machine
with no more (SAS Institute's paper, appendix B)."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts and the origin of each.

    Attributes:
        cpus: Logical CPUs; None where unknown.
        memory_bytes: Physical memory; None where unknown.
        spindles: Disks behind each device that the log names.
        system: `windows` or `linux`; None where unknown.
        cpus_from: Origin of the number of CPUs.
        memory_from: Origin of the memory size.
        spindles_from: Origin of the number of spindles.

    """

    cpus: int | None = None
    memory_bytes: float | None = None
    spindles: int = 1
    system: str | None = None
    cpus_from: Known = "unknown"
    memory_from: Known = "unknown"
    spindles_from: Known = "assumed"

    @property
    def is_of_the_nineties(self) -> bool:
        """Whether the old thresholds were made for such a machine, as far as is known."""
        known = self.memory_bytes is not None and self.memory_bytes <= OF_ITS_TIME_BYTES
        return known and self.system == "windows"

    def sentences(self) -> list[str]:
        """What is assumed or missing, and the option that supplies it."""
        missing = []
        if self.cpus is None:
            missing.append("The log lacks the number of CPUs: add --cpus.")
        if self.memory_bytes is None:
            missing.append("The log lacks the memory size: add --memory.")
        if self.spindles_from == "assumed":
            missing.append("Each disk counts as one spindle: for an array, add --spindles.")
        return missing


def facts(
    frame: Frame,
    system: str | None,
    cpus: int | None = None,
    memory_bytes: float | None = None,
    spindles: int | None = None,
) -> Facts:
    """The facts from options and log; options win."""
    logged_cpus, logged_memory = _last(frame, CPUS), _last(frame, MEMORY)
    return Facts(
        cpus=cpus if cpus is not None else None if logged_cpus is None else round(logged_cpus),
        memory_bytes=memory_bytes if memory_bytes is not None else logged_memory,
        spindles=spindles or 1,
        system=system,
        cpus_from=_from(cpus, logged_cpus),
        memory_from=_from(memory_bytes, logged_memory),
        spindles_from="given" if spindles else "assumed",
    )


def _from(given: float | None, logged: float | None) -> Known:
    if given is not None:
        return "given"
    return "unknown" if logged is None else "from the log"


def _last(frame: Frame, name: str) -> float | None:
    series = frame.of(name)
    return None if series is None else float(series.above[-1])
