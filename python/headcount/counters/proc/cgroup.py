"""One control group, in the layout of version 2, version 1, or both mounted side by side.

Formats: https://docs.kernel.org/admin-guide/cgroup-v2.html and
https://docs.kernel.org/admin-guide/cgroup-v1/memory.html, .../scheduler/sched-bwc.html.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from headcount.counters.proc import memory, pressure
from headcount.counters.proc.files import integer, integers, put, rate, read_text

_NS_PER_S = 1e9
_US_PER_NS = 1000
CONTROLLERS = ("unified", "cpu", "cpuacct", "memory")
"""Hierarchies that are read: version 2, and of version 1 those whose figures have a counter."""
UNLIMITED_BYTES = 2**62
"""Version 1 writes "no limit" as the largest number of whole pages, just under 2^63 bytes."""


@dataclass(frozen=True, slots=True)
class Cgroup:
    """One reading of a control group; what is missing here was not there to be read.

    Times are in nanoseconds. ``pressure_us`` is by resource and kind.
    """

    cpu_ns: int | None = None
    periods: int | None = None
    throttled_periods: int | None = None
    throttled_ns: int | None = None
    cpu_limit: float | None = None
    memory_bytes: int | None = None
    memory_limit_bytes: int | None = None
    limit_hits: int | None = None
    oom_kills: int | None = None
    memory_stat: Mapping[str, int] = field(default_factory=dict)
    pressure_us: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def exists(path: str) -> bool:
    """Whether this file or folder exists on this machine."""
    return Path(path).exists()


def folders(
    sys: Path, names: str | Mapping[str, str], has: Callable[[str], bool] = exists
) -> dict[str, str]:
    """Find a control group's folder in each hierarchy that has it, by controller.

    ``unified`` is version 2, mounted at the root or, beside version 1, below ``unified``. Version 1
    controllers may be mounted together; the usual ``cpu`` and ``cpuacct`` links are followed.

    Args:
        sys: Where sysfs is mounted.
        names: The group's name, or the name per controller if they differ.
        has: Whether there is a file or folder.

    """
    if not names:
        return {}
    if isinstance(names, str):
        names = dict.fromkeys(CONTROLLERS, names)
    root = sys / "fs/cgroup"
    if has(os.fspath(root / "cgroup.controllers")):
        candidates = {"unified": root / names["unified"].strip("/")} if "unified" in names else {}
    else:
        candidates = {key: root / key / name.strip("/") for key, name in names.items()}
    return {key: os.fspath(path) for key, path in candidates.items() if has(os.fspath(path))}


def read(where: Mapping[str, str], text: Callable[[str], str | None] = read_text) -> Cgroup:
    """Read a control group from the folders that :func:`folders` found; `text` reads a file."""

    def number(path: str) -> int | None:
        return integer(text(path) or "")

    def numbers(path: str) -> dict[str, int]:
        return memory.parse_vmstat(text(path) or "")

    unified = where.get("unified")
    cpu, cpuacct, memory_v1 = where.get("cpu"), where.get("cpuacct"), where.get("memory")
    stat = numbers(f"{cpu or unified}/cpu.stat") if cpu or unified else {}
    cpu_ns = number(f"{cpuacct}/cpuacct.usage") if cpuacct else None
    if cpu_ns is None:
        # Version 2 reports it for every group, even where version 1 has the controller.
        usage_us = (numbers(f"{unified}/cpu.stat") if unified and cpu else stat).get("usage_usec")
        cpu_ns = None if usage_us is None else usage_us * _US_PER_NS
    throttled_ns = stat.get("throttled_time")
    if throttled_ns is None and "throttled_usec" in stat:
        throttled_ns = stat["throttled_usec"] * _US_PER_NS
    at = memory_v1 or unified
    events = numbers(f"{at}/{'memory.oom_control' if memory_v1 else 'memory.events'}")
    usage, limit, hits = (
        (
            number(f"{at}/memory.usage_in_bytes"),
            number(f"{at}/memory.limit_in_bytes"),
            number(f"{at}/memory.failcnt"),
        )
        if memory_v1
        else (
            number(f"{at}/memory.current"),
            number(f"{at}/memory.max"),
            events.get("max"),
        )
    )
    return Cgroup(
        cpu_ns=cpu_ns,
        periods=stat.get("nr_periods"),
        throttled_periods=stat.get("nr_throttled"),
        throttled_ns=throttled_ns,
        cpu_limit=_cpu_limit(cpu, unified, text),
        memory_bytes=usage,
        memory_limit_bytes=limit if limit is not None and limit < UNLIMITED_BYTES else None,
        limit_hits=hits,
        oom_kills=events.get("oom_kill"),
        memory_stat=memory.parse_vmstat(text(f"{at}/memory.stat") or "", memory.GROUP_EVENTS),
        pressure_us={
            resource: pressure.parse(written)
            for resource in pressure.RESOURCES
            if unified and (written := text(f"{unified}/{resource}.pressure")) is not None
        },
    )


def gauges(current: Cgroup) -> dict[str, float]:
    """Limits and memory of the group; a limit that is not set is absent."""
    values: dict[str, float] = {}
    put(values, "cgroup.cpu.limit", current.cpu_limit)
    put(values, "cgroup.memory.usage", current.memory_bytes)
    put(values, "cgroup.memory.limit", current.memory_limit_bytes)
    return values


def delta(previous: Cgroup, current: Cgroup, elapsed_s: float) -> dict[str, float]:
    """CPU used and throttled, memory reclaimed and read back, and pressure.

    The throttled share is of the scheduler's periods in which the group wanted the CPU at all;
    absent if the group has no CPU limit or was idle.
    """
    values: dict[str, float] = {}
    used = rate(previous.cpu_ns, current.cpu_ns, elapsed_s)
    put(values, "cgroup.cpu.utilization", None if used is None else used / _NS_PER_S)
    periods = rate(previous.periods, current.periods, elapsed_s)
    throttled = rate(previous.throttled_periods, current.throttled_periods, elapsed_s)
    if periods and throttled is not None:
        values["cgroup.cpu.throttled"] = min(1.0, throttled / periods)
    waited = rate(previous.throttled_ns, current.throttled_ns, elapsed_s)
    put(values, "cgroup.cpu.throttled_time", None if waited is None else waited / _NS_PER_S)
    hits = rate(previous.limit_hits, current.limit_hits, elapsed_s)
    put(values, "cgroup.memory.limit_hits", hits)
    kills = rate(previous.oom_kills, current.oom_kills, elapsed_s)
    put(values, "cgroup.memory.oom_kills", kills)
    before, now = previous.memory_stat, current.memory_stat
    # Version 1 counts the group alone and, under total_, the group with those below it.
    prefix = "total_" if "total_pgmajfault" in now else ""
    faults = rate(before.get(f"{prefix}pgmajfault"), now.get(f"{prefix}pgmajfault"), elapsed_s)
    put(values, "cgroup.paging.faults{system.paging.fault.type=major}", faults)
    put(values, "cgroup.memory.refaults", memory.refaults(before, now, elapsed_s, prefix))
    for resource, totals in current.pressure_us.items():
        earlier = previous.pressure_us.get(resource, {})
        values |= pressure.delta(
            earlier, totals, elapsed_s, resource=resource, metric="cgroup.pressure"
        )
    return values


@dataclass(frozen=True, slots=True)
class Quota:
    """A CPU quota: cores, and how many of the periods that wanted the CPU were throttled."""

    limit: float
    periods: int
    throttled: int


def quota(folder: str, text: Callable[[str], str | None] = read_text) -> Quota | None:
    """Read the CPU quota of a group in the hierarchy that has CPU quotas; None if it has none."""
    is_v1 = text(f"{folder}/cpu.cfs_quota_us") is not None
    limit = _cpu_limit(folder if is_v1 else None, folder, text)
    if limit is None:
        return None
    stat = memory.parse_vmstat(text(f"{folder}/cpu.stat") or "")
    return Quota(limit, stat.get("nr_periods", 0), stat.get("nr_throttled", 0))


def _cpu_limit(
    cpu: str | None, unified: str | None, text: Callable[[str], str | None]
) -> float | None:
    """Return the limit in cores: the quota of CPU time per period, over the period."""
    if cpu is not None:
        quota = integer(text(f"{cpu}/cpu.cfs_quota_us") or "")  # -1 for no quota
        period = integer(text(f"{cpu}/cpu.cfs_period_us") or "")
        return quota / period if quota is not None and period else None
    words = (text(f"{unified}/cpu.max") or "").split()
    numbers = integers(words)
    return numbers[0] / numbers[1] if numbers and len(numbers) == 2 and numbers[1] else None
