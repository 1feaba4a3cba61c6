"""Memory and paging of the host, from ``/proc/meminfo`` and ``/proc/vmstat``.

Formats: proc(5); https://docs.kernel.org/filesystems/proc.html ("meminfo").
"""

import os
from collections.abc import Iterable, Iterator, Mapping

from headcount.counters.proc.files import integer, put, rate

_KIB = 1024
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
STATES = (
    "MemTotal",
    "MemFree",
    "MemAvailable",
    "Buffers",
    "Cached",
    "SReclaimable",
    "Dirty",
    "Writeback",
    "SwapTotal",
    "SwapFree",
)
"""The keys of ``/proc/meminfo`` that :func:`gauges` needs."""
EVENTS = (
    "pgfault",
    "pgmajfault",
    "pswpin",
    "pswpout",
    "oom_kill",
    "workingset_refault",
    "workingset_refault_file",
    "workingset_refault_anon",
)
"""The keys of ``/proc/vmstat`` that :func:`delta` needs."""
GROUP_EVENTS = tuple(
    f"{prefix}{key}"
    for prefix in ("", "total_")
    for key in EVENTS
    if key == "pgmajfault" or key.startswith("workingset")
)
"""The keys of a control group's ``memory.stat`` that have counters, of both versions."""


def parse(text: str, keys: Iterable[str] | None = None) -> dict[str, int]:
    """Parse ``/proc/meminfo`` to bytes by the kernel's own keys (``MemTotal``, ...)."""
    values: dict[str, int] = {}
    for line in text.splitlines() if keys is None else _lines_of(text, keys, ":"):
        key, _, rest = line.partition(":")
        words = rest.split()
        if len(words) == 2 and words[1] == "kB" and (kib := integer(words[0])) is not None:
            values[key] = kib * _KIB
    return values


def parse_vmstat(text: str, keys: Iterable[str] | None = None) -> dict[str, int]:
    """Parse ``/proc/vmstat``, and any other file of ``key number`` lines, to numbers by key."""
    values: dict[str, int] = {}
    for line in text.splitlines() if keys is None else _lines_of(text, keys, " "):
        key, _, rest = line.partition(" ")
        number = integer(rest)
        if number is not None:
            values[key] = number
    return values


def _lines_of(text: str, keys: Iterable[str], mark: str) -> Iterator[str]:
    """The lines of these keys, found without parsing the many others."""
    text = f"\n{text}"
    for key in keys:
        at = text.find(f"\n{key}{mark}") + 1
        if at:
            end = text.find("\n", at)
            yield text[at:] if end < 0 else text[at:end]


def gauges(meminfo: Mapping[str, int]) -> dict[str, float]:
    """Memory by state, what is still available, and swap in use; bytes and shares of 1.

    The states used, free, buffers and cached add up to the memory there is. Utilisation is what
    is not available without swapping: ``1 - MemAvailable / MemTotal``, absent on kernels
    before 3.14, which do not estimate it.
    """
    values: dict[str, float] = {}
    total = meminfo.get("MemTotal")
    put(values, "system.memory.limit", total)
    put(values, "system.linux.memory.available", meminfo.get("MemAvailable"))
    put(values, "system.linux.memory.dirty", meminfo.get("Dirty"))
    put(values, "system.linux.memory.writeback", meminfo.get("Writeback"))
    if total and "MemAvailable" in meminfo:
        values["system.memory.utilization"] = 1.0 - min(total, meminfo["MemAvailable"]) / total
    if total and {"MemFree", "Buffers", "Cached"} <= meminfo.keys():
        states = {
            "free": meminfo["MemFree"],
            "buffers": meminfo["Buffers"],
            "cached": meminfo["Cached"] + meminfo.get("SReclaimable", 0),
        }
        states["used"] = max(0, total - sum(states.values()))
        for state, size in states.items():
            values[f"system.memory.usage{{system.memory.state={state}}}"] = size
    swap = meminfo.get("SwapTotal")
    if swap and "SwapFree" in meminfo:
        used = max(0, swap - meminfo["SwapFree"])
        values["system.paging.usage{system.paging.state=used}"] = used
        values["system.paging.utilization"] = used / swap
    return values


def delta(
    previous: Mapping[str, int],
    current: Mapping[str, int],
    elapsed_s: float,
    page_bytes: int | None = PAGE_BYTES,
) -> dict[str, float]:
    """Faults, swapping, kills and refaults per second, from two readings of ``/proc/vmstat``.

    ``page_bytes`` is the page size of the machine; refaults are absent if it is unknown. A refault
    is a page read back soon after it was evicted: a lack of memory shows there, and as disk reads,
    long before anything is swapped.
    """

    def growth(key: str) -> float | None:
        return rate(previous.get(key), current.get(key), elapsed_s)

    values: dict[str, float] = {}
    major, all_faults = growth("pgmajfault"), growth("pgfault")
    put(values, "system.paging.faults{system.paging.fault.type=major}", major)
    if major is not None and all_faults is not None:
        minor = max(0.0, all_faults - major)
        values["system.paging.faults{system.paging.fault.type=minor}"] = minor
    put(values, "system.paging.operations{system.paging.direction=in}", growth("pswpin"))
    put(values, "system.paging.operations{system.paging.direction=out}", growth("pswpout"))
    put(values, "system.linux.memory.oom_kills", growth("oom_kill"))
    if page_bytes is not None:
        again = refaults(previous, current, elapsed_s, page_bytes=page_bytes)
        put(values, "system.linux.memory.refaults", again)
    return values


def refaults(
    previous: Mapping[str, int],
    current: Mapping[str, int],
    elapsed_s: float,
    prefix: str = "",
    page_bytes: int = PAGE_BYTES,
) -> float | None:
    """Bytes per second read back soon after eviction, of a host or (with a prefix) a cgroup.

    Since Linux 5.9 the kernel counts pages of files and of processes separately; before, together.
    """
    names = [f"{prefix}workingset_refault_file", f"{prefix}workingset_refault_anon"]
    if names[0] not in current:
        names = [f"{prefix}workingset_refault"]
    rates = [rate(previous.get(name), current.get(name), elapsed_s) for name in names]
    known = [pages_s for pages_s in rates if pages_s is not None]
    return sum(known) * page_bytes if len(known) == len(names) else None
