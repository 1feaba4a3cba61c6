"""Room for data: folders and memory."""

from headcount.counters.proc import memory as meminfo
from headcount.doctor.folders import LAB, Folder
from headcount.doctor.machine import Machine
from headcount.doctor.outcome import Outcome, limited, ok, stopping
from headcount.text import count, memory, storage

USER_BYTES = 20 * 2**20
"""Data on disk of one user of app-server, more than most other workloads have."""
START_USERS = 10
"""Users at the first level of a search."""
SMALL_USERS = 100
"""Space for fewer users than this is reported. Our choice."""
LEAST_BYTES, SMALL_BYTES = 20_000_000, 200_000_000
"""Free space in folders without data sets: less than the first stops runs, less than the second is
reported. The bundle of an 18 s run is 0.6 MB; its report and charts, or a longer run, need more."""
LEAST_MEMORY_BYTES = 256 * 2**20
"""Headcount and lab:app hold 120 MiB with 40 users; twice that, for their page cache."""
SMALL_MEMORY_BYTES = 2**30
"""Less is reported: real servers and their page cache need more than lab:app. Our choice."""
IN_MEMORY = ("tmpfs", "ramfs")


def folders(machine: Machine) -> Outcome:
    """Whether runs can write their data, and how much space there is."""
    places = machine.folders(machine.uid)
    faults = {place: fault for place in places if (fault := _fault(machine, place))}
    if not faults:
        free = [machine.file_system(place.path).free_bytes for place in places]
        least = min((one for one in free if one is not None), default=None)
        room = f": {storage(least)} free" if least is not None else ""
        names = ", ".join(dict.fromkeys(place.purpose for place in places))
        return ok(f"{names}{room}", "Runs can write their data.")
    read = "; ".join(
        f"{place.purpose} in {place.path}: {fault}" for place, (fault, _) in faults.items()
    )
    fixes = dict.fromkeys(place.other for place in faults)
    if any(stops for _, stops in faults.values()):
        return stopping(read, "Runs cannot write their data.", *fixes)
    return limited(read, "Larger data sets do not fit, or are not on a disk.", *fixes)


def _fault(machine: Machine, place: Folder) -> tuple[str, bool] | None:
    """What is wrong with a folder, and whether that stops every run; None if nothing is."""
    if not place.can_write:
        return "not writable", True
    system = machine.file_system(place.path)
    free = system.free_bytes
    is_lab = place.purpose == LAB
    least, small = LEAST_BYTES, SMALL_BYTES
    if is_lab:
        least, small = START_USERS * USER_BYTES, SMALL_USERS * USER_BYTES
    if free is not None and free < small:
        data = f", data of {count(free // USER_BYTES)} users of app-server" if is_lab else ""
        return f"{storage(free)} free{data}", free < least
    if is_lab and system.kind in IN_MEMORY:
        return f"in memory ({system.kind})", False
    return None


def memory_available(machine: Machine) -> Outcome:
    """Memory that programs can still have."""
    figures = meminfo.parse(machine.text("proc/meminfo"))
    available, total = figures.get("MemAvailable"), figures.get("MemTotal")
    limit = machine.own_limits.memory_limit_bytes
    if available is None or total is None:
        return limited("/proc/meminfo is not readable", "The diagnosis cannot see memory.")
    bounded = limit is not None and limit < total
    room = min(available, limit) if limit is not None else available
    group = f"; its control group has a limit of {memory(limit)}" if bounded else ""
    read = f"{memory(available)} of {memory(total)} available{group}"
    if room < LEAST_MEMORY_BYTES:
        return stopping(
            read,
            "The kernel may end processes during a run.",
            "end other programs: ps aux --sort -rss",
        )
    if room < SMALL_MEMORY_BYTES:
        return limited(
            read,
            "Lab servers have little page cache, so their capacity is lower.",
            "end other programs: ps aux --sort -rss",
        )
    return ok(read, "The load generator takes a few KiB for each user.")
