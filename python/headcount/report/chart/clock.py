"""A time scale with ticks at whole minutes, hours and days of UTC."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime

STEPS_S = (1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 21600, 43200, 86400, 604800)
"""Allowed distances between ticks."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Moments in seconds since 1970 (UTC), placed evenly."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the coordinate of a moment; those beyond the ends are placed at the ends."""
        part = (value - self.low) / max(self.high - self.low, 1e-9)
        return self.start + min(max(part, 0.0), 1.0) * (self.end - self.start)

    def step_s(self, most: int) -> float:
        """The distance between ticks that gives at most ``most`` of them."""
        wanted = (self.high - self.low) / max(most, 1)
        return next((float(one) for one in STEPS_S if one >= wanted), STEPS_S[-1] * 4.0)

    def ticks(self, most: int) -> list[float]:
        """Return whole steps of the clock within the scale."""
        step = self.step_s(most)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [index * step for index in range(first, last + 1)]

    def written(self, value: float) -> str:
        """Write a tick: `10:05`, with the day or the seconds if the scale needs them."""
        moment = datetime.fromtimestamp(value, UTC)
        if self.high - self.low > 5 * 86400:
            return f"{moment.day} {moment:%b}"
        if self.high - self.low > 86400:
            return f"{moment.day} {moment:%b} {moment:%H:%M}"
        return f"{moment:%H:%M:%S}" if self.high - self.low < 300 else f"{moment:%H:%M}"
