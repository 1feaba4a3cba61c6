"""The latest samples of one source, in ring buffers of equal length."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_COUNTERS = 4096
"""Most counters kept of one source; a machine with a thousand interfaces has no more. An hour of
seconds takes 120 MB at most, and 3 MB for a usual machine."""
SET_BACK_S = 10.0
"""A sample that is older than the last by more comes after the clock was set back. Those of the
time that is now ahead are forgotten: the chart would stand still until that time has passed."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One counter over time.

    Attributes:
        at_s: Moments of the source's samples, in order.
        values: The counter at each; NaN if the sample lacked it.
        joined: Whether nothing is missing between the sample and the one before.

    """

    at_s: Floats
    values: Floats
    joined: NDArray[np.bool_]

    def between(self, start_s: float, end_s: float) -> "Trace":
        """The part from one moment to another, both included."""
        first = int(np.searchsorted(self.at_s, start_s, "left"))
        after = int(np.searchsorted(self.at_s, end_s, "right"))
        return Trace(self.at_s[first:after], self.values[first:after], self.joined[first:after])


class History:
    """Samples of one source: a ring buffer of moments, and one of values for each counter.

    Args:
        points: How many samples are kept.

    """

    def __init__(self, points: int) -> None:
        """Nothing yet."""
        self._points = points
        self._count = 0
        self._at_s = np.full(points, np.nan)
        self._joined = np.zeros(points, dtype=np.bool_)
        self._columns: dict[str, Floats] = {}
        self._latest: Mapping[str, float] = {}
        self._latest_s: float | None = None
        self.left_out = 0
        """Counters that came after MOST_COUNTERS others."""

    def add(self, at_s: float, values: Mapping[str, float], *, joined: bool) -> None:
        """Add a sample; one a little older than the last is dropped."""
        if self._latest_s is not None and at_s <= self._latest_s:
            if self._latest_s - at_s <= SET_BACK_S:
                return
            self._count, joined = 0, False
        slot = self._count % self._points
        self._at_s[slot] = at_s
        self._joined[slot] = joined
        for column in self._columns.values():
            column[slot] = np.nan
        for name, value in values.items():
            if name not in self._columns:
                if len(self._columns) >= MOST_COUNTERS:
                    self.left_out += 1
                    continue
                self._columns[name] = np.full(self._points, np.nan)
            self._columns[name][slot] = value
        self._count += 1
        self._latest, self._latest_s = values, at_s

    @property
    def names(self) -> list[str]:
        """Counters that any sample had, in the order they came."""
        return list(self._columns)

    @property
    def latest(self) -> Mapping[str, float]:
        """The last sample's counters."""
        return self._latest

    @property
    def latest_s(self) -> float | None:
        """When the last sample was taken."""
        return self._latest_s

    @property
    def earliest_s(self) -> float | None:
        """When the first sample that is still kept was taken."""
        if self._count == 0:
            return None
        return float(self._at_s[self._count % self._points if self._count > self._points else 0])

    def trace(self, name: str) -> Trace:
        """One counter over all kept samples; all values are missing if no sample had it."""
        order = self._order()
        column = self._columns.get(name)
        values = np.full(len(order), np.nan) if column is None else column[order]
        return Trace(self._at_s[order], values, self._joined[order])

    def _order(self) -> NDArray[np.intp]:
        if self._count <= self._points:
            return np.arange(self._count)
        return np.roll(np.arange(self._points), -(self._count % self._points))
