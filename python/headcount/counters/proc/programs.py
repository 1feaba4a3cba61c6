"""Whose programs used the CPU: the server's, Headcount's own, or others'.

The server's control group is best, since it also counts processes too short-lived to be seen.
Without one it is the tree of processes, which account for the CPU time of their ended children. A
process that ignores SIGCHLD does not (wait(2)): then the server's use is that of the machine less
that of all others.
"""

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from headcount.counters.proc import cpu, tree
from headcount.counters.proc.files import rate, read_text
from headcount.counters.proc.groups import Group
from headcount.counters.proc.process import TICKS_PER_S, Process
from headcount.counters.proc.tree import Tree

OWN = "process.cpu.utilization"
FOREIGN = "system.cpu.foreign"
_NS_PER_S = 1e9
_CHILD_BIT = 1 << (17 - 1)
"""SIGCHLD in the masks of /proc/PID/status (proc(5)); 17 but on MIPS, PA-RISC, Alpha and SPARC."""
_AGAIN_S = 5.0
"""How often to check whether the server ignores SIGCHLD: programs set that once, at startup. Our
choice: the check reads a file for each process of the server."""


@dataclass(frozen=True, slots=True)
class _Reading:
    at_s: float
    ticks: int
    """Of all programs."""
    own_s: float
    group: Group
    others: Tree | None
    """All processes but the server's, if its own CPU time cannot be read."""


class Programs:
    """CPU of the server and of programs that are neither it nor Headcount."""

    def __init__(self, proc: str) -> None:
        """Take no reading yet."""
        self._proc = proc
        self._previous: _Reading | None = None
        self._is_lost = False
        self._due_s = float("-inf")

    def sample(
        self,
        at_s: float,
        stat: cpu.CpuStat,
        group: Group,
        values: Mapping[str, float],
        members: Iterable[Process],
    ) -> dict[str, float]:
        """The values of the tree, with the CPU that others used since the tree was last read.

        Args:
            at_s: When it was read.
            stat: The machine's CPU times.
            group: The server's control group.
            values: The tree's figures; empty if it was not read.
            members: Its processes.

        """
        now = self._read(at_s, stat, group, tuple(members)) if values else None
        if now is None:
            return dict(values)
        was, self._previous = self._previous, now
        if was is None or OWN not in values:
            return dict(values)
        elapsed_s = at_s - was.at_s
        everybody = rate(was.ticks, now.ticks, elapsed_s)
        if everybody is None:
            return dict(values)
        not_ours = everybody / TICKS_PER_S - (now.own_s - was.own_s) / elapsed_s
        if was.others is not None and now.others is not None:
            others = tree.used(was.others, now.others, lambda totals: totals.cpu_ticks)
            server = max(values[OWN], not_ours - others / TICKS_PER_S / elapsed_s)
            return {**values, OWN: server, FOREIGN: max(0.0, not_ours - server)}
        used = _of_group(was.group, group, elapsed_s)
        return {**values, FOREIGN: max(0.0, not_ours - (values[OWN] if used is None else used))}

    def _read(
        self, at_s: float, stat: cpu.CpuStat, group: Group, members: Collection[Process]
    ) -> _Reading | None:
        is_needed = group.reading.cpu_ns is None
        if is_needed and at_s >= self._due_s:
            self._is_lost = loses_children(self._proc, members)
            self._due_s = at_s + _AGAIN_S
        if not is_needed or not self._is_lost:
            ticks = cpu.program_ticks(stat)
            if ticks is None:
                return None
            return _Reading(at_s, ticks, time.process_time(), group, None)
        # On a busy machine, reading all processes takes a while, in which they use the CPU. So the
        # machine's ticks are read before and after that, and not with the sample.
        before = self._ticks()
        others = tree.read_others(self._proc, {one.pid for one in members})
        after = self._ticks()
        if before is None or after is None:
            return None
        return _Reading(at_s, (before + after) // 2, time.process_time(), group, others)

    def _ticks(self) -> int | None:
        return cpu.program_ticks(cpu.parse(read_text(f"{self._proc}/stat") or ""))


def _of_group(was: Group, now: Group, elapsed_s: float) -> float | None:
    """CPU that the server's control group used, in cores; None without one."""
    if was.where != now.where:
        return None
    used = rate(was.reading.cpu_ns, now.reading.cpu_ns, elapsed_s)
    return None if used is None else used / _NS_PER_S


def loses_children(proc: str, members: Iterable[Process]) -> bool:
    """Whether the time of ended children is lost, because a process ignores SIGCHLD."""
    texts = (read_text(f"{proc}/{one.pid}/status") for one in members)
    return any(ignores_children(text or "") for text in texts)


def ignores_children(status: str) -> bool:
    """Whether a process with this status text ignores SIGCHLD."""
    for line in status.splitlines():
        key, _, mask = line.partition(":")
        if key == "SigIgn" and int(mask, 16) & _CHILD_BIT:
            return True
    return False
