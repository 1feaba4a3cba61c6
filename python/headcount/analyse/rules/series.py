"""Samples turned into series: for each counter its times and values."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.counters.naming import split_instance
from headcount.counters.source import Sample

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Series:
    """A figure over time: a counter, a sum, or a ratio of two, kept as its two parts.

    Attributes:
        at_s: When.
        above: The figure, or the numerator.
        below: The denominator; None if it is no ratio.
        instance: Its device or interface, if it has one.

    """

    at_s: Numbers
    above: Numbers
    below: Numbers | None = None
    instance: str | None = None

    def within(self, start_s: float, end_s: float) -> "Series":
        """Cut to a window, both ends included."""
        first = int(np.searchsorted(self.at_s, start_s, "left"))
        after = int(np.searchsorted(self.at_s, end_s, "right"))
        below = None if self.below is None else self.below[first:after]
        return Series(self.at_s[first:after], self.above[first:after], below, self.instance)

    def values(self) -> Numbers:
        """The figure at each moment; a ratio to nothing is infinite."""
        if self.below is None:
            return self.above
        with np.errstate(divide="ignore"):
            return self.above / self.below

    def mean(self) -> float:
        """The mean; of a ratio that of the sums, so that idle moments count little."""
        if self.below is None:
            return float(self.above.mean())
        below = float(self.below.sum())
        return float(self.above.sum()) / below if below else float("inf")


class Frame:
    """The counters of one recording, as series."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        """Take the samples apart; moments must not decrease."""
        points: dict[str, tuple[list[float], list[float]]] = {}
        for sample in samples:
            for name, value in sample.values.items():
                if np.isfinite(value):
                    times, values = points.setdefault(name, ([], []))
                    times.append(sample.at_s)
                    values.append(value)
        self.at_s: Numbers = np.array(sorted({sample.at_s for sample in samples}))
        self._series = {
            name: Series(np.array(times), np.array(values), instance=split_instance(name)[1])
            for name, (times, values) in points.items()
        }
        self._instances: dict[str, list[str]] = {}
        for name, series in self._series.items():
            if series.instance is not None:
                family = split_instance(name)[0]
                self._instances.setdefault(family, []).append(series.instance)
        self._views: dict[str, Frame] = {}
        self._made: dict[tuple[str, tuple[str, ...], str | None], Series | None] = {}

    def names(self) -> list[str]:
        """Every counter that is there."""
        return list(self._series)

    def instances(self, counters: Sequence[str]) -> list[str]:
        """The devices and interfaces with any of the counters."""
        found = [one for counter in counters for one in self._instances.get(counter, [])]
        return list(dict.fromkeys(found))

    def only(self, instance: str) -> "Frame":
        """The same recording without the other devices and interfaces."""
        if instance not in self._views:
            view = Frame(())
            view.at_s = self.at_s
            view._series = {
                name: series
                for name, series in self._series.items()
                if series.instance is None and name not in self._instances
            }
            for name, series in self._series.items():
                if series.instance == instance:
                    view._series[split_instance(name)[0]] = series
            self._views[instance] = view
        return self._views[instance]

    def of(self, counter: str, plus: Sequence[str] = (), over: str | None = None) -> Series | None:
        """The series of a figure; None if any part is absent."""
        key = (counter, tuple(plus), over)
        if key not in self._made:
            self._made[key] = self._make(counter, plus, over)
        return self._made[key]

    def _make(self, counter: str, plus: Sequence[str], over: str | None) -> Series | None:
        first = self._series.get(counter)
        if first is None:
            return None
        at_s, above = first.at_s, first.above
        for other in plus:
            added = self._series.get(other)
            if added is None:
                return None
            at_s, above, more = _together(at_s, above, added)
            above = above + more
        if over is None:
            return Series(at_s, above, instance=first.instance) if len(at_s) else None
        divisor = self._series.get(over)
        if divisor is None:
            return None
        at_s, above, below = _together(at_s, above, divisor)
        some = (above != 0) | (below != 0)
        if not some.any():
            return None
        return Series(at_s[some], above[some], below[some], first.instance)


def _together(at_s: Numbers, values: Numbers, other: Series) -> tuple[Numbers, Numbers, Numbers]:
    """Both, at the moments that have both."""
    common, left, right = np.intersect1d(at_s, other.at_s, return_indices=True)
    return common, values[left], other.above[right]
