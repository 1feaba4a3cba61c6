"""CPU time, load and context switches of the host, from ``/proc/stat`` and ``/proc/loadavg``.

Formats: proc(5); https://docs.kernel.org/filesystems/proc.html section 1.7.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from headcount.counters.proc.files import integer, integers, put, rate

UTILIZATION = "system.cpu.utilization"
MODES = ("user", "nice", "system", "idle", "iowait", "interrupt", "softirq", "steal")
"""Columns of a cpu line, in order. The guest columns that follow are already part of user and
nice; columns a kernel before 2.6.11 lacks stay absent."""

_PROGRAMS = (MODES.index("user"), MODES.index("nice"), MODES.index("system"))
_IDLE = (MODES.index("idle"), MODES.index("iowait"))


@dataclass(frozen=True, slots=True)
class CpuStat:
    """One reading of ``/proc/stat``; times in clock ticks, by mode in the order of ``MODES``."""

    all_cpus: tuple[int, ...] = ()
    each_cpu: Mapping[str, tuple[int, ...]] | None = None
    context_switches: int | None = None
    runnable: int | None = None
    blocked: int | None = None


def parse(text: str) -> CpuStat:
    """Parse ``/proc/stat``; lines this reader does not know are passed over."""
    all_cpus: tuple[int, ...] = ()
    each_cpu: dict[str, tuple[int, ...]] = {}
    single: dict[str, int | None] = {}
    for line in text.splitlines():
        key, _, rest = line.partition(" ")
        if key.startswith("cpu"):
            ticks = integers(rest.split()[: len(MODES)])
            if ticks is None:
                continue
            if key == "cpu":
                all_cpus = tuple(ticks)
            else:
                each_cpu[key] = tuple(ticks)
        elif key in {"ctxt", "procs_running", "procs_blocked"}:
            single[key] = integer(rest)
    return CpuStat(
        all_cpus,
        each_cpu,
        single.get("ctxt"),
        single.get("procs_running"),
        single.get("procs_blocked"),
    )


def parse_loadavg(text: str) -> float | None:
    """Return the load average over one minute from ``/proc/loadavg``."""
    words = text.split()
    try:
        return float(words[0])
    except (IndexError, ValueError):
        return None


def gauges(current: CpuStat) -> dict[str, float]:
    """Count logical CPUs, tasks runnable and tasks blocked on I/O."""
    values: dict[str, float] = {}
    if current.each_cpu:
        values["system.cpu.logical.count"] = len(current.each_cpu)
    put(values, "system.cpu.runnable", current.runnable)
    put(values, "system.cpu.blocked", current.blocked)
    return values


def delta(previous: CpuStat, current: CpuStat, elapsed_s: float) -> dict[str, float]:
    """Shares of CPU time by mode, busy share of all and of the busiest CPU, context switches/s.

    Busy is everything but idle and iowait. Steal counts as busy: the CPU was wanted and not
    available. Shares are of the ticks the kernel accounted, not of ``elapsed_s``, so they add up to
    1 whatever the timer's resolution.
    """
    values: dict[str, float] = {}
    shares = _shares(previous.all_cpus, current.all_cpus)
    if shares:
        values[UTILIZATION] = _busy(shares)
        for mode, share in zip(MODES, shares, strict=False):
            values[f"{UTILIZATION}{{cpu.mode={mode}}}"] = share
    before = previous.each_cpu or {}
    busy = [
        _busy(cpu_shares)
        for cpu, ticks in (current.each_cpu or {}).items()
        if cpu in before and (cpu_shares := _shares(before[cpu], ticks))
    ]
    if busy:
        values[f"{UTILIZATION}.busiest"] = max(busy)
    switches = rate(previous.context_switches, current.context_switches, elapsed_s)
    put(values, "system.cpu.context_switches", switches)
    return values


def program_ticks(current: CpuStat) -> int | None:
    """Return the time all CPUs spent on programs so far, in clock ticks.

    Without interrupts, which cannot be attributed, and without what the hypervisor stole.
    """
    if len(current.all_cpus) <= max(_PROGRAMS):
        return None
    return sum(current.all_cpus[place] for place in _PROGRAMS)


def _shares(previous: tuple[int, ...], current: tuple[int, ...]) -> list[float]:
    """Shares of the ticks between two readings by mode; empty where no tick passed.

    Idle and iowait may run backwards a little, as the kernel documents for iowait. A mode that did
    counts as having spent no tick.
    """
    spent = [max(0, now - before) for before, now in zip(previous, current, strict=False)]
    total = sum(spent)
    return [ticks / total for ticks in spent] if total else []


def _busy(shares: list[float]) -> float:
    idle = sum(shares[index] for index in _IDLE if index < len(shares))
    return min(1.0, max(0.0, 1.0 - idle))
