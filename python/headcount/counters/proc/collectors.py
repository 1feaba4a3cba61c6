"""CPU that threads of garbage collectors use, known by their names.

The Java virtual machine and .NET name theirs; Go, Node and Python collect in threads that also do
other work. Format: proc(5), ``/proc/PID/task/TID/comm``: at most 15 characters.
"""

import re
from collections.abc import Iterable

from headcount.counters.proc.files import read_text
from headcount.counters.proc.process import Process

NAME = "process.cpu.garbage_collection"
_NS_PER_S = 1e9
_COLLECTOR = re.compile(r"GC Thread|G1 |ZWorker|ZDriver|Shenandoah|CMS |VM Thread$|\.NET .*GC")
"""Of OpenJDK's HotSpot (its VM Thread stops all others and collects alone with -XX:+UseSerialGC)
and of .NET."""
_Key = tuple[int, int, int]


class Collectors:
    """The threads of garbage collectors in a tree of processes.

    Args:
        proc: Where procfs is mounted.

    """

    def __init__(self, proc: str) -> None:
        """Know no thread yet."""
        self._proc = proc
        self._is_collector: dict[_Key, bool] = {}
        self._previous: tuple[float, dict[_Key, int]] | None = None

    def utilization(self, at_s: float, members: Iterable[Process]) -> float | None:
        """CPU in cores since the last call; None if there is no such thread."""
        run_ns = {
            (one.pid, one.started_ticks, thread): times.run_ns
            for one in members
            for thread, times in (one.thread_times or {}).items()
        }
        self._is_collector = {
            key: self._is_collector[key] if key in self._is_collector else self._ask(key)
            for key in run_ns
        }
        now = {key: run for key, run in run_ns.items() if self._is_collector[key]}
        was, self._previous = self._previous, (at_s, now)
        if was is None or not now or at_s <= was[0]:
            return None
        grown = sum(max(run - was[1][key], 0) for key, run in now.items() if key in was[1])
        return grown / _NS_PER_S / (at_s - was[0])

    def _ask(self, key: _Key) -> bool:
        pid, _, thread = key
        name = read_text(f"{self._proc}/{pid}/task/{thread}/comm") or ""
        return _COLLECTOR.match(name.strip("\n")) is not None
