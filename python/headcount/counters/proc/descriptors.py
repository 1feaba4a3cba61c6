"""The share of a process's file descriptors that are open.

A server without a free descriptor accepts no connection (EMFILE of accept(2)): clients wait without
an error. Format: proc(5), ``/proc/PID/limits``, which everybody may read.
"""

import re
from collections.abc import Iterable

from headcount.counters.proc.files import read_text
from headcount.counters.proc.process import Process

NAME = "process.open_file_descriptors.utilization"
RENEW_S = 30.0
"""How often a limit is read again: programs set theirs once, at startup."""
_SOFT = re.compile(r"^Max open files +(\d+)", re.MULTILINE)


class DescriptorLimits:
    """The soft limits of processes, read at first sight and every `RENEW_S` after that."""

    def __init__(self, proc: str) -> None:
        """Read nothing yet."""
        self._proc = proc
        self._limits: dict[tuple[int, int], int | None] = {}
        self._due_s = float("-inf")

    def utilization(self, at_s: float, members: Iterable[Process]) -> float | None:
        """Open descriptors over the limit, for the fullest process; None if none is known."""
        if at_s >= self._due_s:
            self._limits.clear()
            self._due_s = at_s + RENEW_S
        shares = []
        for one in members:
            if one.descriptors is None or one.ended:
                continue
            key = one.pid, one.started_ticks
            if key not in self._limits:
                self._limits[key] = _soft_limit(read_text(f"{self._proc}/{one.pid}/limits"))
            limit = self._limits[key]
            if limit:
                shares.append(min(one.descriptors / limit, 1.0))
        return max(shares, default=None)


def _soft_limit(text: str | None) -> int | None:
    found = _SOFT.search(text or "")
    return int(found[1]) if found else None
