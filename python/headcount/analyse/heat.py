"""Response times over a run as a heat map: when, how long, and what share took that long."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from headcount._engine import Histogram
from headcount.analyse.answers import Second

ROWS_OF_TEN = 8
"""Rows per power of ten: neighbours differ by a third, a difference that people notice."""
MOST_ROWS = 40
_US_PER_MS = 1000.0


@dataclass(frozen=True, slots=True)
class Column:
    """A stretch of the run.

    Attributes:
        from_s: Its beginning, in seconds since the run began.
        to_s: Its end.
        users: Users connected at its end.
        level: Index of the level it belongs to.
        count: How many scenarios ended in it.
        p50_ms: Their median response time.
        p95_ms: Their 95th percentile.
        max_ms: The longest of them.
        shares: Share of the response times in each row, shortest first.

    """

    from_s: float
    to_s: float
    users: int
    level: int
    count: int
    p50_ms: float
    p95_ms: float
    max_ms: float
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Heat:
    """The map: `edges_ms` are the bounds of the rows, one more than there are rows."""

    edges_ms: tuple[float, ...]
    columns: tuple[Column, ...]


def heat(run: Sequence[Second], most_columns: int) -> Heat | None:
    """The heat map of a run; None if no scenario ended.

    Args:
        run: Its seconds.
        most_columns: Most columns; neighbouring seconds of one level are merged to fit.

    """
    answered = [second for second in run if second.times.count]
    if not answered:
        return None
    edges_us = _edges_us(
        min(second.times.quantile_us(0.0) for second in answered),
        max(second.times.max_us for second in answered),
    )
    columns = tuple(_column(part, edges_us) for part in _parts(answered, most_columns))
    return Heat(tuple(edge / _US_PER_MS for edge in edges_us), columns)


def _parts(run: Sequence[Second], most: int) -> list[list[Second]]:
    """Cut a run into stretches of equal length, none of which spans two levels."""
    levels: list[list[Second]] = []
    for second in run:
        if levels and levels[-1][-1].level == second.level:
            levels[-1].append(second)
        else:
            levels.append([second])
    size = max(1, math.ceil(len(run) / max(most - len(levels), 1)))
    return [level[at : at + size] for level in levels for at in range(0, len(level), size)]


def _edges_us(least: int, most: int) -> list[float]:
    low = math.floor(math.log10(max(least, 1)) * ROWS_OF_TEN)
    high = math.floor(math.log10(max(most, 1)) * ROWS_OF_TEN) + 1
    every = max(1, math.ceil((high - low) / MOST_ROWS))
    rows = math.ceil((high - low) / every)
    return [10 ** ((low + every * index) / ROWS_OF_TEN) for index in range(rows + 1)]


def _column(part: Sequence[Second], edges_us: Sequence[float]) -> Column:
    times = Histogram.merge([second.times for second in part])
    counts = [0] * (len(edges_us) - 1)
    for highest_us, count in times.buckets():
        place = bisect_left(edges_us, highest_us) - 1
        counts[min(max(place, 0), len(counts) - 1)] += count
    return Column(
        from_s=part[0].from_s,
        to_s=part[-1].to_s,
        users=part[-1].users,
        level=part[0].level,
        count=times.count,
        p50_ms=times.quantile_us(0.5) / _US_PER_MS,
        p95_ms=times.quantile_us(0.95) / _US_PER_MS,
        max_ms=times.max_us / _US_PER_MS,
        shares=tuple(count / times.count for count in counts),
    )
