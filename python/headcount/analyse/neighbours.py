"""Whether other programs, or other guests of the hypervisor, used the server's machine."""

from collections.abc import Sequence

from headcount.bundle.level import LevelResult
from headcount.counters.line import is_line
from headcount.text import plural, significant
from headcount.text import share as share_text

SHARE = 0.10
"""CPU of programs that are neither the server nor the generator, as a share of the machine, above
which a reader must know. A quiet system stays below a few percent."""
QUIET = 0.03
"""CPU for a quiet system's own housekeeping, as a share of the machine. Our choice."""

UTILIZATION = "system.cpu.utilization"
PROCESS = "process.cpu.utilization"
GROUP = "cgroup.cpu.utilization"
INTERRUPTS = tuple(f"{UTILIZATION}{{cpu.mode={mode}}}" for mode in ("interrupt", "softirq"))
STEAL = f"{UTILIZATION}{{cpu.mode=steal}}"


def foreign_cores(level: LevelResult) -> float | None:
    """CPU of programs that are neither the server, the generator nor its delay lines, in cores.

    Interrupts, most of them the network's, and stolen time belong to no program. None if it is not
    known: only a server on this machine has both its processes and the whole machine watched. If it
    has a control group, processes of the group that came and went are counted too.
    """
    sut, generator = level.counters.get("sut", {}), level.counters.get("generator", {})
    own = GROUP if GROUP in sut else PROCESS
    names = (UTILIZATION, "system.cpu.logical.count", own)
    if any(name not in sut for name in names) or PROCESS not in generator:
        return None
    busy, processors, server = (sut[name].mean for name in names)
    nobodys = sum(sut[name].mean for name in (*INTERRUPTS, STEAL) if name in sut)
    lines = (figures for side, figures in level.counters.items() if is_line(side))
    carried = sum(figures[PROCESS].mean for figures in lines if PROCESS in figures)
    rest = (busy - nobodys) * processors - server - generator[PROCESS].mean
    return max(rest - carried, 0.0)


def stolen_share(level: LevelResult) -> float:
    """CPU time that the hypervisor gave to others, as a share of the machine; 0 if unknown."""
    steal = level.counters.get("sut", {}).get(STEAL)
    return steal.mean if steal is not None else 0.0


def cpu_lost(level: LevelResult) -> float:
    """The share of the machine's CPUs that the server may have lost to others, from 0 to 1.

    Stolen time is lost. Of the CPU that other programs used, the server lost what it wanted at the
    time, estimated by the busy share of the machine: on an idle machine a neighbour takes nothing.
    """
    sut = level.counters.get("sut", {})
    cores = foreign_cores(level)
    used = 0.0
    if cores is not None:
        used = cores / sut["system.cpu.logical.count"].mean * sut[UTILIZATION].mean
    return min(max(stolen_share(level) + used - QUIET, 0.0), 1.0)


def neighbours(levels: Sequence[LevelResult]) -> list[str]:
    """Doubts, if others used a share of the machine that matters."""
    return [*_programs(levels), *_steal(levels)]


def _programs(levels: Sequence[LevelResult]) -> list[str]:
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
            f"other programs used {significant(mean)} of {plural('CPU', taken[0][1])} during "
            f"{len(taken)} of {plural('level', len(levels))}; without them the server may hold more"
        )
    ]


def _steal(levels: Sequence[LevelResult]) -> list[str]:
    shares = [share for level in levels if (share := stolen_share(level)) > SHARE]
    if not shares:
        return []
    mean = sum(shares) / len(shares)
    return [
        (
            f"the hypervisor took {share_text(mean)} of the CPU time during {len(shares)} of "
            f"{plural('level', len(levels))}; without that the server may hold more"
        )
    ]
