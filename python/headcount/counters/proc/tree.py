"""A tree of processes: its members, and what it used between two readings."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from headcount.counters.proc import process
from headcount.counters.proc.files import field_bytes, put, read_text
from headcount.counters.proc.kept_files import Files, PlainFiles
from headcount.counters.proc.process import Process, Totals

_NS_PER_S = 1e9
_READINGS_MAX = 5
"""How often all processes are read until none ends meanwhile. Our choice: a reading of 270 takes
12 ms, and on a machine where 20 programs a second end, four of five readings see none end."""


@dataclass(frozen=True, slots=True)
class Tree:
    """One reading of all processes of a tree.

    Attributes:
        uptime_ticks: The host's uptime at the start of the reading, in clock ticks: a process
            started after the uptime of the previous reading is new rather than newly noticed.
        processes: By process id.

    """

    uptime_ticks: int = 0
    processes: Mapping[int, Process] = field(default_factory=dict)


def read(
    proc: str,
    roots: Iterable[int],
    previous: Tree | None,
    *,
    descend: bool = True,
    joining: Iterable[int] = (),
    besides: Collection[int] = (),
    files: Files | None = None,
) -> Tree:
    """Read the roots and all their descendants; later, the previous members and theirs.

    So a daemon stays in its tree after its parent has ended and it has become a child of init, and
    an unrelated process with a dead member's process id does not get in.

    Args:
        proc: Where ``/proc`` is mounted.
        roots: Process ids the tree starts from; they count for the first reading only.
        previous: The previous reading, None for the first.
        descend: Whether descendants belong to the tree.
        joining: Process ids that belong to it from now on, with their descendants.
        besides: Process ids that do not belong to it, whatever started them.
        files: Reads the files; by default each is opened every time.

    """
    files = files or PlainFiles()
    uptime_ticks = parse_uptime(files.text(f"{proc}/uptime") or "")
    before = {} if previous is None else previous.processes
    reading = partial(process.read, proc, files=files, has_children=descend)
    found: dict[int, Process] = {}
    for pid in roots if previous is None else before:
        one = reading(pid)
        if one is not None and (previous is None or _same(before[pid], one)):
            found[pid] = one
    for pid in joining:
        if pid not in found and (one := reading(pid)) is not None:
            found[pid] = one
    pending = list(found.values()) if descend else []
    scanned: dict[int, list[int]] | None = None
    while pending:
        parent = pending.pop()
        children: Iterable[int] | None = parent.children
        if children is None and not parent.ended:
            scanned = scanned if scanned is not None else _scan_children(proc)
            children = scanned.get(parent.pid)
        for pid in children or ():
            if pid in found or pid in besides:
                continue
            if (one := reading(pid)) is not None:
                found[pid] = one
                pending.append(one)
    return Tree(uptime_ticks, {pid: _carry(before.get(pid), one) for pid, one in found.items()})


def read_pss(proc: str, tree: Tree) -> int | None:
    """Return the tree's proportional set size in bytes; None if any of it may not be read.

    Pages shared by several processes are split between them, so the sum is what the tree really
    holds. The kernel walks all page tables for it, which is slow for large processes.
    """
    sizes = []
    for pid in tree.processes:
        pss = field_bytes(read_text(f"{proc}/{pid}/smaps_rollup"), "Pss:")
        if pss is not None:
            sizes.append(pss)
        elif process.page_table_bytes(proc, pid) is not None:
            return None
    return sum(sizes) if sizes else None


def gauges(tree: Tree) -> dict[str, float]:
    """Count the tree's processes, threads, resident memory and open descriptors."""
    if not tree.processes:
        return {}
    alive = [one for one in tree.processes.values() if not one.ended]
    descriptors = [one.descriptors for one in alive if one.descriptors is not None]
    values: dict[str, float] = {
        "process.count": len(alive),
        "process.threads": sum(one.threads for one in alive),
        "process.memory.usage": sum(one.resident_bytes for one in alive),
    }
    if len(descriptors) == len(alive):
        values["process.open_file_descriptors"] = sum(descriptors)
    return values


def delta(previous: Tree, current: Tree, elapsed_s: float) -> dict[str, float]:
    """CPU, I/O, faults and turns on a CPU of the tree between two readings.

    CPU is in cores used: 1.5 is one and a half CPUs busy all the time.
    """
    if elapsed_s <= 0 or not previous.processes or not current.processes:
        return {}
    ticks = used(previous, current, lambda totals: totals.cpu_ticks)
    major = used(previous, current, lambda totals: totals.major_faults)
    minor = used(previous, current, lambda totals: totals.minor_faults)
    values = {
        "process.cpu.utilization": ticks / process.TICKS_PER_S / elapsed_s,
        "process.cpu.busiest_process": _busiest_ticks(previous, current)
        / process.TICKS_PER_S
        / elapsed_s,
        "process.paging.faults{system.paging.fault.type=major}": major / elapsed_s,
        "process.paging.faults{system.paging.fault.type=minor}": minor / elapsed_s,
    }
    everyone = [*previous.processes.values(), *current.processes.values()]
    if all(one.totals.io_bytes is not None for one in everyone):
        read_bytes = used(previous, current, lambda totals: (0, (totals.io_bytes or (0, 0))[0]))
        written = used(previous, current, lambda totals: (0, (totals.io_bytes or (0, 0))[1]))
        values["process.disk.io{disk.io.direction=read}"] = read_bytes / elapsed_s
        values["process.disk.io{disk.io.direction=write}"] = written / elapsed_s
    return values | thread_figures(previous, current, elapsed_s)


def _busiest_ticks(previous: Tree, current: Tree) -> int:
    """The largest CPU time of a single process present in both readings."""
    most = 0
    for pid, now in current.processes.items():
        was = previous.processes.get(pid)
        if was is not None and _same(was, now):
            most = max(most, now.totals.cpu_ticks[0] - was.totals.cpu_ticks[0])
    return most


def used(previous: Tree, current: Tree, split: Callable[[Totals], tuple[int, int]]) -> int:
    """Growth of a counter over the whole tree, counting processes that came and went.

    ``split`` gives (own, reaped) of a process. When a child ends and is waited for, all it ever
    used is added to its parent's ``reaped``. What it had used by the previous reading was counted
    then, so it is subtracted there, and likewise for the child's own vanished children. If its
    parent ended too, any ancestor may have waited for it: the kernel gives orphans to the nearest
    one that asked for them (PR_SET_CHILD_SUBREAPER, prctl(2)), or to init. A parent that does not
    wait for its children grows by less than that; the unknown rest counts as zero, never as
    negative.
    """
    used = 0
    reaped: dict[int, int] = {}
    for pid, now in current.processes.items():
        before = previous.processes.get(pid)
        if before is not None and _same(before, now):
            own_before, reaped_before = split(before.totals)
            own_now, reaped_now = split(now.totals)
            used += max(0, own_now - own_before)
            reaped[pid] = max(0, reaped_now - reaped_before)
        elif now.started_ticks >= previous.uptime_ticks:
            used += sum(split(now.totals))
    orphans: list[tuple[list[int], int]] = []
    for pid, was in previous.processes.items():
        if _same(was, current.processes.get(pid)):
            continue
        heirs = _living_ancestors(was, previous, current)
        if was.parent in heirs:
            _subtract(reaped, heirs[:1], sum(split(was.totals)))
        else:
            orphans.append((heirs, sum(split(was.totals))))
    for heirs, amount in orphans:
        _subtract(reaped, heirs, amount)
    return used + sum(reaped.values())


def _subtract(reaped: dict[int, int], heirs: Iterable[int], amount: int) -> None:
    """Subtract an amount from the heirs in order, from each no more than it has."""
    for heir in heirs:
        taken = min(amount, reaped[heir])
        reaped[heir] -= taken
        amount -= taken


def _same(was: Process, now: Process | None) -> bool:
    """Whether two readings are of one process: ids are reused, with the start time they are not."""
    return now is not None and was.started_ticks == now.started_ticks


def _living_ancestors(one: Process, previous: Tree, current: Tree) -> list[int]:
    """Process ids of the ancestors within the tree that still live, the nearest first."""
    living: list[int] = []
    for _ in range(len(previous.processes)):
        parent = previous.processes.get(one.parent)
        if parent is None:
            break
        if _same(parent, current.processes.get(parent.pid)):
            living.append(parent.pid)
        one = parent
    return living


def thread_figures(previous: Tree, current: Tree, elapsed_s: float) -> dict[str, float]:
    """Busiest thread, share of wanted CPU time spent waiting, and turns on a CPU per second.

    Only for threads present in both readings: others count only in the tree's CPU utilisation.
    """
    run_ns: list[int] = []
    wait_ns = turns = 0
    for pid, now in current.processes.items():
        was = previous.processes.get(pid)
        if was is None or not _same(was, now):
            continue
        before = was.thread_times or {}
        for thread, times in (now.thread_times or {}).items():
            if thread in before:
                run_ns.append(max(0, times.run_ns - before[thread].run_ns))
                wait_ns += max(0, times.wait_ns - before[thread].wait_ns)
                turns += max(0, times.turns - before[thread].turns)
    if not run_ns:
        return {}
    values = {
        # The kernel updates a running thread's time at its clock tick.
        "process.cpu.busiest_thread": min(1.0, max(run_ns) / _NS_PER_S / elapsed_s),
        "process.context_switches": turns / elapsed_s,
    }
    wanted_ns = sum(run_ns) + wait_ns
    put(values, "process.cpu.run_delay", wait_ns / wanted_ns if wanted_ns else None)
    return values


def _carry(was: Process | None, now: Process) -> Process:
    """Keep the last known I/O of an unreaped ended process, if it is unreadable now."""
    if not now.ended or now.totals.io_bytes is not None or was is None or not _same(was, now):
        return now
    return replace(now, totals=replace(now.totals, io_bytes=was.totals.io_bytes))


def read_others(proc: str, besides: Collection[int]) -> Tree:
    """Read the CPU times of all processes but some, their descendants and this one.

    If one ends meanwhile, all are read again: its time is in its own figures and in its parent's,
    or in neither.
    """
    for _ in range(_READINGS_MAX):
        uptime_ticks = parse_uptime(read_text(f"{proc}/uptime") or "")
        listed = _listed(proc)
        found = _found(proc, listed)
        if set(listed) == found.keys() and found.keys() <= set(_listed(proc)):
            break
    left = {*besides, os.getpid()}
    for pid in found:
        line: list[int] = []
        at = pid
        while at in found and at not in left and len(line) < len(found):
            line.append(at)
            at = found[at].parent
        if at in left:
            left.update(line)
    return Tree(uptime_ticks, {pid: one for pid, one in found.items() if pid not in left})


def _scan_children(proc: str) -> dict[int, list[int]]:
    """Return all processes of the host by parent, for kernels that do not list children."""
    children: dict[int, list[int]] = {}
    for one in _found(proc, _listed(proc)).values():
        children.setdefault(one.parent, []).append(one.pid)
    return children


def _listed(proc: str) -> list[int]:
    """Process ids of the host."""
    return [int(name) for name in os.listdir(proc) if name.isdigit()]  # noqa: PTH208 - hot path


def _found(proc: str, pids: Iterable[int]) -> dict[int, Process]:
    """Those of the processes that still exist, from their stat files."""
    texts = (read_text(f"{proc}/{pid}/stat") for pid in pids)
    read = (process.parse_stat(text) for text in texts if text is not None)
    return {one.pid: one for one in read if one is not None}


def parse_uptime(text: str, ticks_per_s: float = process.TICKS_PER_S) -> int:
    """Parse ``/proc/uptime`` to clock ticks; 0 if it cannot be read."""
    words = text.split()
    try:
        return int(float(words[0]) * ticks_per_s)
    except (IndexError, ValueError):
        return 0
