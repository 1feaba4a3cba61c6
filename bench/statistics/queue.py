"""Levels on a simulated queue whose percentiles are known, and the intervals they give."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bench.statistics.tally import Tally
from headcount.analyse.statistics.memory import is_too_short
from headcount.analyse.statistics.sections import SECTIONS, exceeded, is_clustered, sectioned
from headcount.analyse.times import rate_interval

Vector = NDArray[np.float64]
SERVERS, SERVICE_S, WARM_S = 4, 0.020, 60.0
SHARE = 0.95
REMEMBERS_S = 20.0
TRUTH_LEVELS, TRUTH_S = 400, 600.0
AT_ONCE = 200


@dataclass(frozen=True)
class Load:
    """A queue for four processors: Poisson arrivals, exponential service of 20 ms.

    `noise` is the standard deviation of the logarithm of its speed, which it remembers for 20 s.
    """

    name: str
    utilisation: float
    noise: float = 0.0

    @property
    def rate_per_s(self) -> float:
        """Arrivals."""
        return self.utilisation * SERVERS / SERVICE_S


@dataclass(frozen=True)
class Sorted:
    """Durations in µs, in order: what the intervals need of a histogram, without its rounding."""

    values: Vector

    @property
    def count(self) -> int:
        """How many."""
        return len(self.values)

    def quantile_us(self, quantile: float, /) -> float:
        """The nearest rank."""
        rank = max(math.ceil(round(quantile * len(self.values), 9)), 1)
        return float(self.values[rank - 1])

    def count_above(self, limit_us: int, /) -> int:
        """How many exceed it."""
        return int(len(self.values) - np.searchsorted(self.values, limit_us, side="right"))


def played(load: Load, levels: int, length_s: float, seed: int) -> list[tuple[Vector, Vector]]:
    """Ends in s from the start of each level, and response times in µs, of what ends within it."""
    stream = np.random.default_rng(seed)
    lasts = WARM_S + length_s
    count = int(load.rate_per_s * lasts + 6 * math.sqrt(load.rate_per_s * lasts))
    arrivals = stream.exponential(1 / load.rate_per_s, (count, levels)).cumsum(axis=0)
    service = stream.exponential(SERVICE_S, (count, levels))
    if load.noise:
        speed = _autoregressive(stream, int(arrivals[-1].max()) + 1, levels)
        service *= np.exp(load.noise * np.take_along_axis(speed, arrivals.astype(int), axis=0))
    free = np.zeros((levels, SERVERS))
    rows = np.arange(levels)
    ends = np.empty_like(arrivals)
    for i in range(count):
        first = free.argmin(axis=1)
        ends[i] = np.maximum(free[rows, first], arrivals[i]) + service[i]
        free[rows, first] = ends[i]
    times_us = np.ceil((ends - arrivals) * 1e6)
    within = (ends > WARM_S) & (ends <= lasts)
    return [(ends[within[:, k], k] - WARM_S, times_us[within[:, k], k]) for k in range(levels)]


def _autoregressive(stream: np.random.Generator, seconds: int, levels: int) -> Vector:
    """Standard normal values, one a second, that fade with REMEMBERS_S."""
    keep = math.exp(-1 / REMEMBERS_S)
    now = stream.normal(size=levels)
    found = np.empty((seconds, levels))
    for i in range(seconds):
        found[i] = now
        now = keep * now + math.sqrt(1 - keep**2) * stream.normal(size=levels)
    return found


@cache
def truth_us(load: Load, part: float) -> float:
    """The long-run percentile, from many long levels of other seeds."""
    levels = max(round(TRUTH_LEVELS * part), 40)
    pooled = [
        times
        for start in range(0, levels, 40)
        for _, times in played(load, 40, TRUTH_S, 10**6 + start)
    ]
    return Sorted(np.sort(np.concatenate(pooled))).quantile_us(SHARE)


def intervals(ends: Vector, times: Vector, length_s: float) -> tuple[
    tuple[float, float] | None, tuple[float, float] | None, tuple[float, float] | None, bool
]:  # fmt: skip
    """By sectioning, by batch-exceed ranks, of the throughput; and whether it is flagged."""
    section = np.minimum((ends / length_s * SECTIONS).astype(int), SECTIONS - 1)
    parts = [Sorted(np.sort(times[section == k])) for k in range(SECTIONS)]
    whole = Sorted(np.sort(times))
    by_sections, by_ranks = sectioned(whole, parts, SHARE), exceeded(whole, parts, SHARE)
    second = np.minimum(ends.astype(int), int(length_s) - 1)
    number = np.bincount(second, minlength=int(length_s))
    sums = np.bincount(second, weights=times, minlength=int(length_s))
    means = (sums[number > 0] / number[number > 0]).tolist()
    return (
        (by_sections.low_us, by_sections.high_us) if by_sections else None,
        (by_ranks.low_us, by_ranks.high_us) if by_ranks else None,
        rate_interval([(part.count, length_s / SECTIONS) for part in parts]),
        is_too_short(means, len(means) / SECTIONS) or is_clustered(whole.quantile_us(SHARE), parts),
    )


LOADS = (
    (Load("4 processors, 50% busy", 0.5), {60.0: True, 300.0: True}),
    (Load("4 processors, 80% busy", 0.8), {60.0: False, 300.0: True}),
    (Load("4 processors, 90% busy", 0.9), {60.0: False, 300.0: False}),
    (Load("4 processors, 95% busy", 0.95), {300.0: False}),
    (Load("80% busy, speed ±10% for 20 s", 0.8, 0.1), {60.0: False, 300.0: False}),
)


def queues(part: float) -> list[Tally]:
    """Percentiles and throughput of levels of 60 and 300 s."""
    rows = []
    for load, lengths in LOADS:
        for length_s, benign in lengths.items():
            case = f"{load.name}, {length_s:.0f} s"
            tallies = [
                Tally("p95, sections", case, benign),
                Tally("p95, batch-exceed ranks", case, benign),
                Tally("throughput, batches", case, benign=True),
            ]
            truths = (truth_us(load, part), truth_us(load, part), load.rate_per_s)
            levels = max(round((2_000 if length_s < 100 else 1_000) * part), 20)
            for start in range(0, levels, AT_ONCE):
                at_once = min(AT_ONCE, levels - start)
                for ends, times in played(load, at_once, length_s, start):
                    *found, flagged = intervals(ends, times, length_s)
                    for tally, true, each in zip(tallies, truths, found, strict=True):
                        tally.add(true, each, flagged=flagged)
            tallies[2].flags = [False] * len(tallies[2].held)
            rows += tallies
    return rows
