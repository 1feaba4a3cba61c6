"""How fast the machines of agents are, and how many workers each gets."""

import time
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

MEASURE_S = 0.5
_BLOCK = bytes(range(256)) * 256
"""64 KiB; deflating it takes about a millisecond, in which Python's other threads run."""
AS_FAST = 0.85
"""Machines that differ by less count as equally fast: short measurements differ by as much."""
MOST_FACTOR, ROUNDED = 4, 0.15


def measured_speed(cpus: int, for_s: float = MEASURE_S) -> float:
    """Blocks a second that all CPUs together deflate, besides the machine's other programs."""
    until_s = time.monotonic() + for_s

    def deflate() -> int:
        done = 0
        while time.monotonic() < until_s:
            zlib.compress(_BLOCK)
            done += 1
        return done

    began_s = time.monotonic()
    with ThreadPoolExecutor(cpus) as threads:
        done = sum(future.result() for future in [threads.submit(deflate) for _ in range(cpus)])
    return done / (time.monotonic() - began_s)


def workers_by_speed(cpus: Sequence[int], speeds: Sequence[float]) -> list[int]:
    """Workers of each machine, in proportion to its speed: all workers play as many users.

    A machine as fast per CPU as the fastest gets a worker for each of its CPUs. If slower ones
    would get fractions of a worker, all get up to four times as many.
    """
    fastest = max(speed / number for speed, number in zip(speeds, cpus, strict=True))
    if fastest <= 0:
        return list(cpus)
    worth = [
        float(number) if speed / number >= AS_FAST * fastest else speed / fastest
        for speed, number in zip(speeds, cpus, strict=True)
    ]

    def error(factor: int) -> float:
        return max(abs(max(round(factor * one), 1) / (factor * one) - 1) for one in worth)

    if min(worth) <= 0:
        return [max(round(one), 1) for one in worth]
    factors = range(1, MOST_FACTOR + 1)
    factor = next((one for one in factors if error(one) <= ROUNDED), min(factors, key=error))
    return [max(round(factor * one), 1) for one in worth]
