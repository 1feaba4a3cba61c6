"""CPU that threads of garbage collectors use, known by their names.

The Java virtual machine and .NET name theirs. Node's helpers collect, and compile code while it is
new. Newer versions name them; in older ones (seen with Node 20) their order does: of a process's
threads, the first is the program's, the second keeps time, the next four are the helpers. Go and
Python collect in threads that also do other work. Format: proc(5), ``/proc/PID/task/TID/comm``: at
most 15 characters.
"""

import re
from collections.abc import Callable, Iterable

from headcount.counters.proc.files import read_text
from headcount.counters.proc.process import Process

NAME = "process.cpu.garbage_collection"
_NS_PER_S = 1e9
_COLLECTOR = re.compile(
    r"GC Thread|G1 |ZWorker|ZDriver|Shenandoah|CMS |VM Thread$|\.NET .*GC|V8Worker"
)
"""Of OpenJDK's HotSpot (its VM Thread stops all others and collects alone with -XX:+UseSerialGC),
of .NET and of Node."""
_HELPERS = slice(2, 6)
"""Node's helpers among the threads of a process, in the order in which they started."""
_Key = tuple[int, int, int]
Name = Callable[[int, int], str]
"""Reads the name of a thread, by its process and thread id; empty if it has none."""


class Collectors:
    """The threads of garbage collectors in a tree of processes.

    Args:
        name: Reads the name of a thread.

    """

    def __init__(self, name: Name) -> None:
        """Know no thread yet."""
        self._name = name
        self._is_collector: dict[_Key, bool] = {}
        self._previous: tuple[float, dict[_Key, int]] | None = None

    def utilization(self, at_s: float, members: Iterable[Process]) -> float | None:
        """CPU in cores since the last call; None if there is no such thread."""
        run_ns = {
            (one.pid, one.started_ticks, thread): times.run_ns
            for one in members
            for thread, times in (one.thread_times or {}).items()
        }
        helpers = None if run_ns.keys() <= self._is_collector.keys() else _helpers(run_ns)
        self._is_collector = {
            key: self._is_collector[key]
            if key in self._is_collector
            else self._ask(key, helpers or frozenset())
            for key in run_ns
        }
        now = {key: run for key, run in run_ns.items() if self._is_collector[key]}
        was, self._previous = self._previous, (at_s, now)
        if was is None or not now or at_s <= was[0]:
            return None
        grown = sum(max(run - was[1][key], 0) for key, run in now.items() if key in was[1])
        return grown / _NS_PER_S / (at_s - was[0])

    def _ask(self, key: _Key, helpers: frozenset[_Key]) -> bool:
        pid, _, thread = key
        name = self._name(pid, thread)
        if name == "node":  # an unnamed thread has its program's name
            return key in helpers
        return _COLLECTOR.match(name) is not None


def names_below(proc: str) -> Name:
    """A function that reads names of threads below a mount of procfs."""

    def name(pid: int, thread: int) -> str:
        return (read_text(f"{proc}/{pid}/task/{thread}/comm") or "").strip("\n")

    return name


def _helpers(keys: Iterable[_Key]) -> frozenset[_Key]:
    """The threads of each process that would be Node's helpers."""
    threads: dict[int, list[_Key]] = {}
    for key in keys:
        threads.setdefault(key[0], []).append(key)
    return frozenset(
        key for one in threads.values() for key in sorted(one, key=lambda each: each[2])[_HELPERS]
    )
