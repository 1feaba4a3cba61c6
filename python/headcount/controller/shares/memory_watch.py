"""Reading a lab server's memory before and while a run's users are at work."""

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

from headcount.bundle.latency import LatencyMemory
from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Verdict
from headcount.controller.listener import Listener, Outlook, Phase, Second
from headcount.controller.shares.hold import read_footprint
from headcount.counters.footprint import Footprint
from headcount.counters.socket_memory import SocketMemory, SocketTable
from headcount.errors import HeadcountError, SystemLimitError
from headcount.plan.plan import Plan

SOCKETS_S = 0.05
"""Requests under way come and go: the mean takes many readings, and each takes 0.2 ms."""
PROCESSES_S = 5.0
"""Memory of processes hardly changes, and reading a hundred may take a second."""


class MemoryWatch:
    """A listener that reads memory during a run, and forwards everything.

    Attributes:
        before: Memory before the first user; None until then.
        result: The level that was played; None until it has ended.

    """

    def __init__(self, pids: Sequence[int], address: str, listener: Listener) -> None:
        """Watch these processes, and the sockets with this local address."""
        self.before: LatencyMemory | None = None
        self.result: LevelResult | None = None
        self._pids = pids
        self._address = address
        self._listener = listener
        self._table = SocketTable()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._processes: list[Footprint] = []
        self._sockets: list[SocketMemory] = []
        self._error: Exception | None = None

    @property
    def samples(self) -> tuple[int, int]:
        """How often the processes and the sockets were read in the measured part."""
        return len(self._processes), len(self._sockets)

    @property
    def round_trip_s(self) -> float | None:
        """The median of the connections' shortest round trips, at the end of the measured part."""
        known = [one.round_trip_s for one in self._sockets if one.round_trip_s is not None]
        return known[-1] if known else None

    def during(self) -> LatencyMemory:
        """The means over the measured part; raises HeadcountError if it could not be read."""
        if isinstance(self._error, HeadcountError):
            raise self._error
        if self._error is not None or not self._processes or not self._sockets:
            raise SystemLimitError(
                f"the memory of the server could not be read: {self._error or 'no time for it'}"
            )
        return means(self._processes, self._sockets)

    def close(self) -> None:
        """Stop reading; safe to call twice."""
        self._end()
        self._table.close()

    def started(self, plan: Plan, folder: Path) -> None:
        """Pass it on."""
        self._listener.started(plan, folder)

    def phase(self, phase: Phase) -> None:
        """Read memory before the users come, and all through the measured part."""
        self._end()
        if phase.name == "prepare":  # the last of these is after the data set was made
            processes = [read_footprint(self._pids)]
            self.before = means(processes, [self._table.read(self._address)])
        elif phase.name == "steady":
            self._start(time.monotonic() + phase.seconds)
        self._listener.phase(phase)

    def prepared(self, done: int, users: int) -> None:
        """Pass it on."""
        self._listener.prepared(done, users)

    def second(self, second: Second) -> None:
        """Pass it on."""
        self._listener.second(second)

    def level(self, result: LevelResult) -> None:
        """Keep the result of the level."""
        self._end()
        self.result = result
        self._listener.level(result)

    def noted(self, text: str) -> None:
        """Pass it on."""
        self._listener.noted(text)

    def outlook(self, outlook: Outlook) -> None:
        """Pass it on."""
        self._listener.outlook(outlook)

    def finished(self, verdict: Verdict) -> None:
        """Pass it on."""
        self._listener.finished(verdict)

    def _start(self, until_s: float) -> None:
        """Read until the measured part is over, each kind on a thread of its own."""
        self._stop.clear()
        readers = ((self._read_sockets, SOCKETS_S), (self._read_processes, PROCESSES_S))
        for read, apart_s in readers:
            thread = threading.Thread(
                target=self._repeat,
                args=(read, apart_s, until_s),
                name="headcount-memory",
                daemon=True,
            )
            thread.start()
            self._threads.append(thread)

    def _end(self) -> None:
        self._stop.set()
        while self._threads:
            self._threads.pop().join()

    def _read_sockets(self) -> None:
        self._sockets.append(self._table.read(self._address))

    def _read_processes(self) -> None:
        self._processes.append(read_footprint(self._pids))

    def _repeat(self, read: Callable[[], None], apart_s: float, until_s: float) -> None:
        try:
            while time.monotonic() < until_s and not self._stop.is_set():
                read()
                self._stop.wait(min(apart_s, max(until_s - time.monotonic(), 0.0)))
        except (OSError, HeadcountError) as error:
            self._error = error


def means(processes: Sequence[Footprint], sockets: Sequence[SocketMemory]) -> LatencyMemory:
    """The means of one or more readings."""
    kernel = [one.kernel_bytes for one in processes if one.kernel_bytes is not None]
    return LatencyMemory(
        processes=processes[-1].processes,
        process_bytes=fmean(one.process_bytes for one in processes),
        sockets=fmean(one.sockets for one in sockets),
        socket_bytes=fmean(one.memory_bytes for one in sockets),
        kernel_bytes=fmean(kernel) if kernel else None,
    )
