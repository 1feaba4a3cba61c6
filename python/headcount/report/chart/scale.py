"""Scales: from a figure to a place on the page."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

LOG_FROM_RATIO = 50.0
"""Times that span more than this are drawn on a logarithmic scale: on a linear one the smallest
would be within 2% of the height from the axis, where nothing can be read."""


_SHARED = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
"""Steps of a scale with a fixed number of ticks. With only the roundest steps, half of the height
would be empty."""


class Scale(Protocol):
    """Places values between two coordinates."""

    def at(self, value: float) -> float:
        """Return the coordinate of a value; values beyond the ends are placed at the ends."""

    def ticks(self, most: int) -> list[float]:
        """Return round values within the scale, at most about ``most`` of them."""


@dataclass(frozen=True, slots=True)
class Linear:
    """Equal differences take equal room."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the coordinate of a value; values beyond the ends are placed at the ends."""
        part = (value - self.low) / (self.high - self.low)
        return self.start + min(max(part, 0.0), 1.0) * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        """Return multiples of 1, 2 or 5 times a power of ten."""
        step = nice_step((self.high - self.low) / max(most, 1))
        if self.high < step * (1 - 1e-9):
            step = nice_step(self.high / 2.5)  # never zero as the only tick
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [index * step for index in range(first, last + 1)]


@dataclass(frozen=True, slots=True)
class Log:
    """Equal ratios take equal room. Both ends are above zero."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the coordinate of a value; values beyond the ends are placed at the ends."""
        inside = min(max(value, self.low), self.high)
        part = math.log(inside / self.low) / math.log(self.high / self.low)
        return self.start + part * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        """Return 1, 2 and 5 times powers of ten; powers of ten alone if those are too many."""
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        every = max(1, math.ceil((last - first) / max(most, 1)))
        for leads in ((1, 2, 5), (1, 3), (1,)):
            ticks = [
                lead * 10.0**power
                for power in range(first, last + 1)
                for lead in leads
                if self.low * (1 - 1e-9) <= lead * 10.0**power <= self.high * (1 + 1e-9)
            ]
            if len(ticks) <= most:
                return ticks
        return ticks[::every]


@dataclass(frozen=True, slots=True)
class Nines(Log):
    """Percentiles, as the rarity of exceeding them: 10 is p90, 100 is p99, and so on."""

    def ticks(self, most: int) -> list[float]:
        """Return the shortest, the median and the nines; only every second nine if it is narrow."""
        powers = range(1, math.floor(math.log10(self.high) + 1e-9) + 1)
        every = max(1, math.ceil((len(powers) + 2) / max(most, 1)))
        return [1.0, *([2.0] if every == 1 else []), *(10.0**power for power in powers[::every])]


def nice_step(step: float) -> float:
    """Return the least of 1, 2 or 5 times a power of ten that is not below ``step``."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(lead * power for lead in (1, 2, 5, 10) if lead * power >= step * (1 - 1e-9))


def from_zero(
    values: Iterable[float | None], start: float, end: float, most: float = math.inf
) -> Linear:
    """Return a linear scale from zero to a little over the largest value, and to `most` at most."""
    highest = max((value for value in values if value is not None), default=0.0)
    if highest <= 0:
        return Linear(0, 1, start, end)
    step = nice_step(highest / 8)
    return Linear(0, min(step * math.ceil(highest * 1.02 / step), most), start, end)


def even(scale: Linear, intervals: int) -> list[float]:
    """Return the ends of a scale's equal intervals."""
    width = (scale.high - scale.low) / intervals
    return [scale.low + index * width for index in range(intervals + 1)]


def shared(values: Iterable[float | None], intervals: int, start: float, end: float) -> Linear:
    """Return a scale from zero with exactly that many intervals between round ticks.

    Two axes with the same number of intervals share one grid.
    """
    highest = max((value for value in values if value is not None), default=0.0)
    if highest <= 0:
        return Linear(0, intervals, start, end)
    least = highest * 1.02 / intervals
    power = 10.0 ** math.floor(math.log10(least))
    step = next(lead * power for lead in _SHARED if lead * power >= least)
    return Linear(0, step * intervals, start, end)


def for_times(values: Iterable[float | None], start: float, end: float) -> Linear | Log:
    """Return a scale for durations: logarithmic if they span more than fifty times.

    Durations of zero cannot stand on a logarithmic scale and are placed at its lower end.
    """
    real = [value for value in values if value is not None and value > 0]
    if not real or max(real) / min(real) <= LOG_FROM_RATIO:
        return from_zero(real, start, end)
    return Log(_below(min(real)), _above(max(real)), start, end)


def _below(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return max(lead * power for lead in (0.5, 1, 2, 5) if lead * power <= value * 0.95)


def _above(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return min(lead * power for lead in (1, 2, 5, 10, 20) if lead * power >= value * 1.05)
