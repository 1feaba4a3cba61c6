"""The memory of a server's processes, and that of the kernel as a whole.

For processes, it counts: their own memory, pages shared by forked processes split between them
(`Pss_Anon` of `/proc/PID/smaps_rollup`); memory shared by mapping a file that they write to, such
as Samba's databases (`Pss` of mappings `rw-s` of `/proc/PID/smaps`); and their page tables (`VmPTE`
of `/proc/PID/status`). Programs and libraries do not count: they are loaded once, and shared with
other processes that run them. Formats: proc(5);
https://docs.kernel.org/filesystems/proc.html. `Pss_Anon` is there since Linux 5.3.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from headcount.counters.proc import process, tree
from headcount.counters.proc.files import field_bytes, integer, read_text
from headcount.counters.proc.memory import PAGE_BYTES, parse

_MAPPING = re.compile(r"[0-9a-f]+-[0-9a-f]+ (\S{4}) ")
_KIB = 1024
_NS_PER_S = 1e9


@dataclass(frozen=True, slots=True)
class Footprint:
    """One reading.

    Attributes:
        processes: Their number.
        own_bytes: Private memory of the processes.
        shared_bytes: Files that they map for writing.
        page_table_bytes: Their page tables.
        kernel_bytes: Other memory of the kernel, of the whole machine, that cannot be reclaimed:
            structures (`SUnreclaim`), stacks of threads (`KernelStack`) and buffers of TCP. None
            if unknown.
        cpu_s: CPU time of their threads so far, in seconds; None if the kernel does not keep it.

    """

    processes: int
    own_bytes: int
    shared_bytes: int
    page_table_bytes: int
    kernel_bytes: int | None
    cpu_s: float | None

    @property
    def process_bytes(self) -> int:
        """All memory of the processes themselves."""
        return self.own_bytes + self.shared_bytes + self.page_table_bytes


def read(roots: Iterable[int], proc: str = "/proc") -> Footprint | None:
    """Read a tree of processes; None if one of them may not be inspected, or none exists."""
    found = []
    own = shared = tables = 0
    for one in tree.read(proc, roots, None).processes.values():
        folder = f"{proc}/{one.pid}"
        rollup, smaps = read_text(f"{folder}/smaps_rollup"), read_text(f"{folder}/smaps")
        # Read last: a process without memory by now has ended before or between the readings.
        page_tables = process.page_table_bytes(proc, one.pid)
        if page_tables is None:
            continue
        private = field_bytes(rollup, "Pss_Anon:")
        if private is None or not smaps:
            return None
        found.append(one)
        own += private
        shared += written_bytes(smaps)
        tables += page_tables
    if not found:
        return None
    times = [one.thread_times for one in found]
    run_ns = sum(thread.run_ns for each in times for thread in (each or {}).values())
    cpu_s = run_ns / _NS_PER_S if all(each is not None for each in times) else None
    return Footprint(len(found), own, shared, tables, kernel_bytes(proc), cpu_s)


def written_bytes(smaps: str) -> int:
    """The proportional size, in bytes, of files mapped shared and writable."""
    total, counts = 0, False
    for line in smaps.splitlines():
        mapping = _MAPPING.match(line)
        if mapping is not None:
            counts = mapping[1][1] == "w" and mapping[1][3] == "s"
        elif counts and line.startswith("Pss:"):
            total += (integer(line.split()[1]) or 0) * _KIB
    return total


def kernel_bytes(proc: str = "/proc") -> int | None:
    """Unreclaimable kernel memory in bytes, without page tables; None if unknown."""
    meminfo = parse(read_text(f"{proc}/meminfo") or "")
    sockets = read_text(f"{proc}/net/sockstat") or ""
    buffers = re.search(r"^TCP: .*\bmem (\d+)", sockets, re.MULTILINE)
    if buffers is None or not {"SUnreclaim", "KernelStack"} <= meminfo.keys():
        return None
    return meminfo["SUnreclaim"] + meminfo["KernelStack"] + int(buffers[1]) * PAGE_BYTES


def memory(proc: str = "/proc") -> tuple[int, int] | None:
    """Available and total memory in bytes; None if unknown."""
    meminfo = parse(read_text(f"{proc}/meminfo") or "")
    if not {"MemAvailable", "MemTotal"} <= meminfo.keys():
        return None
    return meminfo["MemAvailable"], meminfo["MemTotal"]
