"""Performance counters of a Java virtual machine: the file `/tmp/hsperfdata_USER/PID`.

The JVM keeps the file up to date by itself, readable for its own user and root. Format:
OpenJDK's jvmstat, version 2 (PerfDataPrologue, PerfDataEntry). Sizes are those of
the generation of long-lived objects, as they were after its last change by the collector.
"""

import re
import struct
from glob import glob
from pathlib import Path

from headcount.counters.views.foreign_file import foreign_bytes
from headcount.counters.views.reading import Reader, Reading

MAGIC = 0xCAFEC0C0
_PROLOGUE = struct.Struct("IBBBBiiqii")
_ENTRY = struct.Struct("iiiBBBBi")
_LONG = ord("J")
_TICKS = 3
"""The unit of times; ticks per second are a counter, too."""
_FREQUENCY = "sun.os.hrt.frequency"
_CONTENDED = "sun.rt._sync_ContendedLockAttempts"
"""Monitors only: waits for locks of java.util.concurrent do not count."""
_LARGEST = re.compile(r"sun\.gc\.generation\.(\d+)\.maxCapacity")
_COLLECTING = re.compile(r"sun\.gc\.collector\.\d+\.time")
_COLLECTIONS = re.compile(r"sun\.gc\.collector\.\d+\.invocations")


def reader(address: str) -> Reader:
    """A reader for the file at this path."""
    return lambda: figures(foreign_bytes(Path(address), is_shared=True))


def file_of(pid: int, proc: str = "/proc") -> str | None:
    """The file of a process, in its own file system; None without a readable one."""
    try:
        status = Path(f"{proc}/{pid}/status").read_text("utf-8", errors="replace")
    except OSError:
        return None
    numbers = re.search(r"^NSpid:(.*)$", status, re.MULTILINE)
    inside = numbers[1].split()[-1] if numbers and numbers[1].split() else str(pid)
    found = glob(f"{proc}/{pid}/root/tmp/hsperfdata_*/{inside}")  # noqa: PTH207 - from the root
    return found[0] if found else None


def counters(data: bytes) -> dict[str, tuple[int, int]]:
    """All whole numbers in the file with their units, by name; raises ValueError for another."""
    if len(data) < _PROLOGUE.size or int.from_bytes(data[:4], "big") != MAGIC:
        raise ValueError("it is not the performance data of a JVM")
    order = "<" if data[4] == 1 else ">"
    prologue, entry = struct.Struct(order + _PROLOGUE.format), struct.Struct(order + _ENTRY.format)
    *_, major, _minor, _accessible, _used, _overflow, _time, at, many = prologue.unpack_from(data)
    if major != 2:
        raise ValueError(f"version {major} of its performance data is not known")
    found = {}
    try:
        for _ in range(many):
            length, name_at, _vector, kind, _flags, unit, _variability, value_at = (
                entry.unpack_from(data, at)
            )
            if length <= 0:
                break
            if kind == _LONG:
                end = data.index(b"\0", at + name_at)
                name = data[at + name_at : end].decode("ascii", errors="replace")
                (value,) = struct.unpack_from(f"{order}q", data, at + value_at)
                found[name] = (value, unit)
            at += length
    except (struct.error, ValueError) as error:
        raise ValueError("its performance data are cut short") from error
    return found


def figures(data: bytes) -> Reading:
    """The reading in the file; raises ValueError for any other file."""
    found = counters(data)
    frequency = found.get(_FREQUENCY, (0, 0))[0]

    def total(pattern: re.Pattern[str]) -> int:
        return sum(value for name, (value, _) in found.items() if pattern.fullmatch(name))

    # The last generation holds what lives; under G1 that may be all of the heap.
    old = max((int(match[1]) for name in found if (match := _LARGEST.fullmatch(name))), default=0)
    used = re.compile(rf"sun\.gc\.generation\.{old}\.space\.\d+\.used")
    gauges = {
        "jvm.memory.used": float(total(used)),
        "jvm.memory.limit": float(found.get(f"sun.gc.generation.{old}.maxCapacity", (0, 0))[0]),
    }
    if "java.threads.live" in found:
        gauges["jvm.thread.count"] = float(found["java.threads.live"][0])
    totals = {"jvm.gc.collections": float(total(_COLLECTIONS))}
    if _CONTENDED in found:
        totals["jvm.monitors.contended"] = float(found[_CONTENDED][0])
    if frequency:
        collecting = total(_COLLECTING)
        stopped, unit = found.get("sun.rt.safepointTime", (0, 0))
        if unit == _TICKS:
            totals["jvm.safepoint.share"] = stopped / frequency
            # Shenandoah counts whole cycles, in most of which the program runs.
            collecting = min(collecting, stopped)
        totals["jvm.gc.share"] = collecting / frequency
    return Reading({name: value for name, value in gauges.items() if value}, totals)
