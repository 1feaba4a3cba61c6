"""What the machine does right now: CPU of other programs, stolen time, and how late timers are."""

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from headcount.analyse.neighbours import STEAL
from headcount.counters.proc import cpu
from headcount.counters.proc.files import read_text
from headcount.counters.proc.process import TICKS_PER_S, parse_stat

WAKE_S = 0.001
"""Time for which each timer is set, in seconds."""
LEAST_WATCH_S = 0.3
"""Timers are measured at least this long, however long the other checks took: some 300 timers."""
NAMED = 3
"""How many of the busiest programs are named."""
BUSY_CORES = 0.1
"""A program is named from this CPU use on, in cores."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What the machine did; None if not known.

    Attributes:
        others: CPU that other programs used, as a share of the machine.
        stolen: CPU that the hypervisor gave to others, as a share of the machine.
        programs: The busiest of other programs, with the cores they used.
        lateness_ms: How late timers were.
        real_time: Whether those timers had the real-time policy, as the engine's have where they
            may.

    """

    others: float | None
    stolen: float | None
    programs: Sequence[tuple[str, float]]
    lateness_ms: Sequence[float]
    real_time: bool


class Window:
    """CPU use since this object was made.

    Args:
        text: A file below the root.
        root: Where `proc` is.
        own_cpu_s: CPU time of this process and of what it started.
        clock_ns: A clock that never runs backwards.

    """

    def __init__(
        self,
        text: Callable[[str], str],
        root: Path,
        own_cpu_s: Callable[[], float],
        clock_ns: Callable[[], int],
    ) -> None:
        """Take the first reading."""
        self._text, self._proc = text, root / "proc"
        self._own_cpu_s, self._clock_ns = own_cpu_s, clock_ns
        self._began_ns = clock_ns()
        self._began = cpu.parse(text("proc/stat"))
        self._own_s = own_cpu_s()
        self._programs = _program_ticks(self._proc)

    def moment(
        self,
        seconds: float,
        real_time: Callable[[], AbstractContextManager[bool]],
        sleep: Callable[[float], None],
    ) -> Moment:
        """Measure timers until the window is that many seconds long, then read the CPU use."""
        end_ns = max(
            self._began_ns + round(seconds * 1e9), self._clock_ns() + round(LEAST_WATCH_S * 1e9)
        )
        lateness_ms = []
        with real_time() as granted:
            while (asked_ns := self._clock_ns()) < end_ns:
                sleep(WAKE_S)
                lateness_ms.append((self._clock_ns() - asked_ns) / 1e6 - WAKE_S * 1000)
        elapsed_s = (self._clock_ns() - self._began_ns) / 1e9
        now, own_s = cpu.parse(self._text("proc/stat")), self._own_cpu_s() - self._own_s
        shares = cpu.delta(self._began, now, elapsed_s)
        return Moment(
            others=self._others(now, own_s),
            stolen=shares.get(STEAL),
            programs=self._busiest(elapsed_s),
            lateness_ms=lateness_ms,
            real_time=granted,
        )

    def _others(self, now: cpu.CpuStat, own_s: float) -> float | None:
        """CPU of all programs but our own, as a share of the time of all CPUs."""
        was_ticks, now_ticks = cpu.program_ticks(self._began), cpu.program_ticks(now)
        passed = sum(now.all_cpus) - sum(self._began.all_cpus)
        if was_ticks is None or now_ticks is None or passed <= 0:
            return None
        return min(max((now_ticks - was_ticks - own_s * TICKS_PER_S) / passed, 0.0), 1.0)

    def _busiest(self, elapsed_s: float) -> list[tuple[str, float]]:
        used: dict[str, float] = {}
        for pid, (name, ticks) in _program_ticks(self._proc).items():
            was = self._programs.get(pid, (name, ticks))[1]
            used[name] = used.get(name, 0.0) + (ticks - was) / TICKS_PER_S / elapsed_s
        busy = sorted(used.items(), key=lambda one: -one[1])
        return [(name, cores) for name, cores in busy[:NAMED] if cores > BUSY_CORES]


def _program_ticks(proc: Path) -> dict[int, tuple[str, int]]:
    """Name and CPU time in clock ticks of all other processes, as far as visible."""
    try:
        pids = [name for name in os.listdir(proc) if name.isdecimal()]  # noqa: PTH208 - thrice as fast
    except OSError:
        return {}
    found = {}
    for pid in pids:
        text = read_text(f"{proc}/{pid}/stat") or ""
        process = parse_stat(text)
        if process is not None and process.pid != os.getpid():
            name = text[text.find("(") + 1 : text.rfind(")")]
            found[process.pid] = name, process.totals.cpu_ticks[0]
    return found
