"""One process and its threads, from ``/proc/PID``.

Formats: proc(5) (stat, io, statm, fd, task); https://docs.kernel.org/scheduler/sched-stats.html
(schedstat).
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from headcount.counters.proc.files import field_bytes, integer, integers, read_text
from headcount.counters.proc.kept_files import Files, PlainFiles
from headcount.counters.proc.memory import PAGE_BYTES

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
THREADS_MAX = 512
"""With more threads in a process, its single threads are not read: that would cost more CPU time
than a sample may."""

_ZOMBIE = "Z"


@dataclass(frozen=True, slots=True)
class Totals:
    """Counters of a process that only grow.

    Each pair is (own, reaped): of the process itself, and of all its children that ended and were
    waited for. CPU time is in clock ticks. ``io_bytes`` is (read, written) of the storage, in
    which the kernel adds up own and reaped, or None if it may not be read.
    """

    cpu_ticks: tuple[int, int]
    major_faults: tuple[int, int]
    minor_faults: tuple[int, int]
    io_bytes: tuple[int, int] | None = None


class ThreadTimes(NamedTuple):
    """A thread's time on and waiting for a CPU in nanoseconds, and its turns on one."""

    run_ns: int
    wait_ns: int
    turns: int


@dataclass(frozen=True, slots=True)
class Process:
    """One reading of one process."""

    pid: int
    parent: int
    started_ticks: int
    ended: bool
    threads: int
    resident_bytes: int
    totals: Totals
    descriptors: int | None = None
    thread_times: Mapping[int, ThreadTimes] | None = None
    children: tuple[int, ...] | None = None


def parse_stat(text: str) -> Process | None:
    """Parse ``/proc/PID/stat``; None where the text is not of that form.

    The second field is the program's name in brackets, which may itself hold blanks and brackets.
    """
    return _parsed(text, None, None, None, None)


def _parsed(
    text: str,
    io_bytes: tuple[int, int] | None,
    descriptors: int | None,
    thread_times: Mapping[int, ThreadTimes] | None,
    children: tuple[int, ...] | None,
) -> Process | None:
    """A process from its stat, with what else was read."""
    pid = integer(text.partition(" ")[0])
    words = text.rpartition(")")[2].split()
    if pid is None or len(words) < 22:
        return None
    # proc(5) numbers the fields from 1; the state is field 3 and the first word here.
    numbers = integers([words[1], *words[7:15], words[17], words[19], words[21]])
    if numbers is None:
        return None
    parent, minor, minor_reaped, major, major_reaped, user, system, *rest = numbers
    user_reaped, system_reaped, threads, started, resident = rest
    return Process(
        pid=pid,
        parent=parent,
        started_ticks=started,
        ended=words[0] == _ZOMBIE,
        threads=threads,
        resident_bytes=resident * PAGE_BYTES,
        totals=Totals(
            cpu_ticks=(user + system, user_reaped + system_reaped),
            major_faults=(major, major_reaped),
            minor_faults=(minor, minor_reaped),
            io_bytes=io_bytes,
        ),
        descriptors=descriptors,
        thread_times=thread_times,
        children=children,
    )


def parse_io(text: str) -> tuple[int, int] | None:
    """Return bytes (read from, written to) storage of ``/proc/PID/io``."""
    written = read = ""
    for line in text.splitlines():
        if line.startswith("read_bytes: "):
            read = line[12:]
        elif line.startswith("write_bytes: "):
            written = line[13:]
    numbers = integers([read, written])
    return None if numbers is None else (numbers[0], numbers[1])


def parse_schedstat(text: str) -> ThreadTimes | None:
    """Parse a thread's schedstat; None if the kernel keeps none, which it shows as zeros."""
    numbers = integers(text.split()[:3])
    if numbers is None or len(numbers) < 3 or not any(numbers):
        return None
    return ThreadTimes(*numbers)


def page_table_bytes(proc: str, pid: int) -> int | None:
    """Return the size of a process's page tables; None if it has ended, though still listed.

    A process that has ended has no memory, and no such line. Everybody may read this line, unlike
    other figures of memory, so it separates processes that have ended from unreadable ones.
    """
    return field_bytes(read_text(f"{proc}/{pid}/status"), "VmPTE:")


def read(
    proc: str, pid: int, files: Files | None = None, *, has_children: bool = True
) -> Process | None:
    """Read all of a process, or None if it has gone.

    Figures that the kernel does not keep or does not show to us are None in the result.

    Args:
        proc: Where procfs is mounted.
        pid: The process.
        files: Reads the files; by default each is opened every time.
        has_children: Whether to read its children; otherwise they are None.

    """
    files = files or PlainFiles()
    folder = f"{proc}/{pid}"
    threads = _list_threads(folder)
    thread_times = _read_thread_times(folder, threads, files)
    children = _read_children(folder, threads, files) if has_children else None
    descriptors = files.entries(f"{folder}/fd")
    io_text = files.text(f"{folder}/io")
    # Read last: if this succeeds, the process existed all along, and what is missing above was
    # denied rather than gone.
    stat_text = files.text(f"{folder}/stat")
    if stat_text is None:
        return None
    io_bytes = parse_io(io_text) if io_text is not None else None
    return _parsed(stat_text, io_bytes, descriptors, thread_times, children)


def _list_threads(folder: str) -> list[str]:
    try:
        return os.listdir(f"{folder}/task")  # noqa: PTH208 - hot path
    except OSError:
        return []


def _read_thread_times(
    folder: str, threads: list[str], files: Files
) -> dict[int, ThreadTimes] | None:
    """Read each thread's times; None if there are too many or the kernel keeps none."""
    if len(threads) > THREADS_MAX:
        return None
    times: dict[int, ThreadTimes] = {}
    for thread in threads:
        text = files.text(f"{folder}/task/{thread}/schedstat")
        parsed = parse_schedstat(text) if text is not None else None
        if parsed is not None:
            times[int(thread)] = parsed
    return times or None


def _read_children(folder: str, threads: list[str], files: Files) -> tuple[int, ...] | None:
    """Return the children of all threads; None if the kernel lists none (CONFIG_PROC_CHILDREN).

    A child belongs to the thread that started it.
    """
    children: list[int] = []
    known = False
    for thread in threads:
        text = files.text(f"{folder}/task/{thread}/children")
        if text is not None:
            known = True
            children += (integers(text.split()) or []) if text else []
    return tuple(children) if known else None
