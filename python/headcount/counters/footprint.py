"""The memory that a server's processes hold, and what the kernel holds for everybody.

Of the processes are counted the memory of their own, pages that forked processes share split
between them (`Pss_Anon` of `/proc/PID/smaps_rollup`); what they share by mapping a file that they
write to, such as Samba's databases (`Pss` of mappings `rw-s` of `/proc/PID/smaps`); and their page
tables (`VmPTE` of `/proc/PID/status`). Programs and libraries are not counted: they cost once, and
are shared with whatever else runs them. Formats: proc(5);
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
        processes: How many there are.
        own_bytes: Memory of their own.
        shared_bytes: Files that they map to write to.
        page_table_bytes: What the kernel keeps to find their pages.
        kernel_bytes: What else the kernel holds that it cannot give back, of the whole machine:
            structures (`SUnreclaim`), stacks of threads (`KernelStack`) and buffers of TCP. None
            where it does not say.
        cpu_s: CPU time that their threads have used so far, in seconds; None where the kernel does
            not keep it.

    """

    processes: int
    own_bytes: int
    shared_bytes: int
    page_table_bytes: int
    kernel_bytes: int | None
    cpu_s: float | None

    @property
    def process_bytes(self) -> int:
        """All that is the processes' own."""
        return self.own_bytes + self.shared_bytes + self.page_table_bytes


def read(roots: Iterable[int], proc: str = "/proc") -> Footprint | None:
    """Read a tree of processes; None where one of them may not be looked into, or none is there."""
    found = []
    own = shared = tables = 0
    for one in tree.read(proc, roots, None).processes.values():
        folder = f"{proc}/{one.pid}"
        rollup, smaps = read_text(f"{folder}/smaps_rollup"), read_text(f"{folder}/smaps")
        # Last, for who has no memory by then has ended: before the readings, or between them.
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
    """The proportional size, in bytes, of files that are mapped shared and written to."""
    total, counts = 0, False
    for line in smaps.splitlines():
        mapping = _MAPPING.match(line)
        if mapping is not None:
            counts = mapping[1][1] == "w" and mapping[1][3] == "s"
        elif counts and line.startswith("Pss:"):
            total += (integer(line.split()[1]) or 0) * _KIB
    return total


def kernel_bytes(proc: str = "/proc") -> int | None:
    """What the kernel holds and cannot give back, page tables aside; None if unknown."""
    meminfo = parse(read_text(f"{proc}/meminfo") or "")
    sockets = read_text(f"{proc}/net/sockstat") or ""
    buffers = re.search(r"^TCP: .*\bmem (\d+)", sockets, re.MULTILINE)
    if buffers is None or not {"SUnreclaim", "KernelStack"} <= meminfo.keys():
        return None
    return meminfo["SUnreclaim"] + meminfo["KernelStack"] + int(buffers[1]) * PAGE_BYTES


def memory(proc: str = "/proc") -> tuple[int, int] | None:
    """Memory that programs can still have, and that there is, in bytes; None if unknown."""
    meminfo = parse(read_text(f"{proc}/meminfo") or "")
    if not {"MemAvailable", "MemTotal"} <= meminfo.keys():
        return None
    return meminfo["MemAvailable"], meminfo["MemTotal"]
