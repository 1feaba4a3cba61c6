"""What must be known of a machine beside its counters: processors, memory, spindles."""

from dataclasses import dataclass
from typing import Literal

from headcount.analyse.rules.series import Frame

Known = Literal["told", "from the log", "assumed", "unknown"]

CPUS = "system.cpu.logical.count"
MEMORY = "system.memory.limit"
OF_ITS_TIME_BYTES = 4 * 2**30
"""The most memory a 32-bit Windows NT could use: a Windows machine with no more is judged by the
rules of the nineties in full (SAS Institute's paper, appendix B)."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts, and where each is from.

    Attributes:
        cpus: Logical CPUs; None where unknown.
        memory_bytes: Physical memory; None where unknown.
        spindles: Disks behind each device that the log names.
        system: `windows` or `linux`; None where unknown.
        cpus_from: Where the number of CPUs is from.
        memory_from: Where the memory is from.
        spindles_from: Where the number of spindles is from.

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
        """Whether it is a machine that the old thresholds were made for, as far as is known."""
        known = self.memory_bytes is not None and self.memory_bytes <= OF_ITS_TIME_BYTES
        return known and self.system == "windows"

    def sentences(self) -> list[str]:
        """What was assumed or is missing, and how to give it."""
        said = []
        if self.cpus is None:
            said.append("The number of CPUs is not in the log: give it with --cpus.")
        if self.memory_bytes is None:
            said.append("The size of the memory is not in the log: give it with --memory.")
        if self.spindles_from == "assumed":
            said.append("Each disk is taken as one spindle: of an array, say --spindles.")
        return said


def facts(
    frame: Frame,
    system: str | None,
    cpus: int | None = None,
    memory_bytes: float | None = None,
    spindles: int | None = None,
) -> Facts:
    """Put together what was told and what the log has; what was told comes first."""
    logged_cpus, logged_memory = _last(frame, CPUS), _last(frame, MEMORY)
    return Facts(
        cpus=cpus if cpus is not None else None if logged_cpus is None else round(logged_cpus),
        memory_bytes=memory_bytes if memory_bytes is not None else logged_memory,
        spindles=spindles or 1,
        system=system,
        cpus_from=_from(cpus, logged_cpus),
        memory_from=_from(memory_bytes, logged_memory),
        spindles_from="told" if spindles else "assumed",
    )


def _from(told: float | None, logged: float | None) -> Known:
    if told is not None:
        return "told"
    return "unknown" if logged is None else "from the log"


def _last(frame: Frame, name: str) -> float | None:
    series = frame.of(name)
    return None if series is None else float(series.above[-1])
