"""What a reader must know before believing the figures."""

from collections.abc import Sequence

from headcount.disk.result import Figures
from headcount.disk.settings import Settings
from headcount.text import memory, share

OTHERS = 0.1
"""Share of the machine's CPU that others may use before it is a doubt."""
BUSY = 0.95
"""From this CPU use on the processors, not the disk, may have been the limit."""


def doubts(
    settings: Settings,
    kept: str,
    memory_bytes: int,
    measured: Sequence[Figures],
    processors: int,
) -> list[str]:
    """Doubts about the figures, in sentences."""
    found = []
    if kept == "memory":
        found.append("The folder is in memory: the figures are those of memory, not of a disk.")
    if kept == "elsewhere":
        found.append(
            "The folder is a network mount or served by a program: the figures include the network "
            "and the server."
        )
    if not settings.direct and kept != "memory":
        found.append(_cache_doubt(settings, memory_bytes))
    found += _neighbour_doubts(measured, processors)
    full = [one for one in measured if one.machine_busy is not None and one.machine_busy >= BUSY]
    if full:
        found.append(
            f"In {len(full)} of {len(measured)} cells all CPUs were busy: the limit there may have "
            "been the CPU, not the disk."
        )
    return found


def _cache_doubt(settings: Settings, memory_bytes: int) -> str:
    if settings.size_bytes < memory_bytes:
        return (
            f"The test file ({memory(settings.size_bytes)}) fits into this machine's memory "
            f"({memory(memory_bytes)}): with --buffered, memory may have served every read and "
            "write. Choose a larger --size, or measure without --buffered."
        )
    return "With --buffered, memory served some of the reads and writes."


def _neighbour_doubts(measured: Sequence[Figures], processors: int) -> list[str]:
    known = [busy for one in measured if (busy := one.others_busy(processors)) is not None]
    mean = sum(known) / len(known) if known else 0.0
    if mean <= OTHERS:
        return []
    sentence = (
        f"Other programs, or the kernel's work for the disk, took {share(mean)} of the machine "
        "during the measurement: on a quiet machine the figures may differ."
    )
    return [sentence]
