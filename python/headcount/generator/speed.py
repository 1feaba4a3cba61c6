"""How fast the machines of agents are, and how many workers each gets."""

import math
import os
import statistics
import time
import zlib
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Self

SLICES, SLICE_S = 5, 0.1
"""As long as the usual period of a CPU quota, so that each slice has a whole quota."""
_BLOCK = bytes(range(256)) * 256
"""64 KiB; deflating it takes about a millisecond, in which Python's other threads run."""
AS_FAST = 0.85
"""Machines that differ by less count as equally fast: short measurements differ by as much."""
MOST_FACTOR, ROUNDED = 4, 0.15


@dataclass(frozen=True, slots=True)
class Speed:
    """Blocks a second that a machine deflates.

    Attributes:
        low, high: In its slowest and its fastest slice of the measurement.
        middle: The median of the slices.

    """

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, slices: Sequence[float]) -> Self:
        """From the speed in each slice."""
        return cls(min(slices), statistics.median(slices), max(slices))

    def of_one(self, cpus: int) -> Self:
        """Of one of that many CPUs."""
        return type(self)(self.low / cpus, self.middle / cpus, self.high / cpus)


def measured_speeds(cpus: int, slices: int = SLICES, slice_s: float = SLICE_S) -> list[float]:
    """Blocks a second that all CPUs together deflate, besides other programs, in each slice.

    A slice before them does not count, for a quota may have a whole period's time left then.
    """
    began_s = time.monotonic() + slice_s

    def deflate() -> Counter[int]:
        # Real-time threads, as agents have, would stop other programs, and take turns of 0.1 s.
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        done: Counter[int] = Counter()
        while True:
            zlib.compress(_BLOCK)
            at = math.floor((time.monotonic() - began_s) / slice_s)
            if at >= slices:
                return done
            done[at] += 1

    with ThreadPoolExecutor(cpus) as threads:
        counts = [future.result() for future in [threads.submit(deflate) for _ in range(cpus)]]
    return [sum(one[at] for one in counts) / slice_s for at in range(slices)]


def workers_by_speed(cpus: Sequence[int], speeds: Sequence[Speed]) -> list[int]:
    """Workers of each machine, in proportion to its speed: all workers play as many users.

    A machine as fast per CPU as the fastest gets a worker for each of its CPUs, and so does one
    that is not surely slower: its fastest slice is as fast as the slowest of the fastest machine.
    Machines that share their CPUs with others vary that much. If slower ones would get fractions
    of a worker, all get up to four times as many.
    """
    each = [speed.of_one(number) for speed, number in zip(speeds, cpus, strict=True)]
    fastest = max(each, key=lambda one: one.middle)
    if fastest.middle <= 0:
        return list(cpus)
    worth = [
        number * one.middle / fastest.middle
        if one.high < fastest.low and one.middle < AS_FAST * fastest.middle
        else float(number)
        for one, number in zip(each, cpus, strict=True)
    ]

    def error(factor: int) -> float:
        return max(abs(max(round(factor * one), 1) / (factor * one) - 1) for one in worth)

    if min(worth) <= 0:
        return [max(round(one), 1) for one in worth]
    factors = range(1, MOST_FACTOR + 1)
    factor = next((one for one in factors if error(one) <= ROUNDED), min(factors, key=error))
    return [max(round(factor * one), 1) for one in worth]
