"""Whether other programs worked on the machine of the system under test while it was measured."""

from collections.abc import Sequence

from headcount.bundle.level import LevelResult
from headcount.text import count, significant

SHARE = 0.10
"""CPU used by programs that are neither the server nor the generator, as a share of the machine,
above which the capacity is that of what they left. A quiet system stays below a few percent."""


def foreign_cores(level: LevelResult) -> float | None:
    """CPU that neither the server nor the generator used, in cores; None where it is not known.

    Only for a server on this machine, whose processes are watched beside the whole.
    """
    sut, generator = level.counters.get("sut", {}), level.counters.get("generator", {})
    names = ("system.cpu.utilization", "system.cpu.logical.count", "process.cpu.utilization")
    if any(name not in sut for name in names) or names[2] not in generator:
        return None
    busy, processors, server = (sut[name].mean for name in names)
    return max(busy * processors - server - generator[names[2]].mean, 0.0)


def neighbours(levels: Sequence[LevelResult]) -> list[str]:
    """A doubt, if others took a part of the machine that matters."""
    taken = []
    for level in levels:
        cores = foreign_cores(level)
        if cores is None:
            continue
        processors = level.counters["sut"]["system.cpu.logical.count"].mean
        if cores > SHARE * processors:
            taken.append((cores, processors))
    if not taken:
        return []
    mean = sum(cores for cores, _ in taken) / len(taken)
    return [
        (
            f"other programs used {significant(mean)} of {count(taken[0][1])} CPUs during "
            f"{len(taken)} of {len(levels)} levels: the answer is for what they left over"
        )
    ]
