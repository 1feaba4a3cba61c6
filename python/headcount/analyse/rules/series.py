"""Samples turned into series: for each counter its times and values."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.counters.columns import as_columns
from headcount.counters.naming import split_instance
from headcount.counters.source import Sample

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Series:
    """A figure over time: a counter, a sum, or a ratio of two, kept as its two parts.

    Attributes:
        at_s: The moments, in seconds.
        above: The figure, or the numerator.
        below: The denominator; None if it is not a ratio.
        instance: Its device or interface, if it has one.
        count: The base count at each moment: operations, packets, ...; None if the log lacks it. A
            moment with a count and no figure has NaN.
            log does not say. A moment that has a count and no figure has NaN.

    """

    at_s: Numbers
    above: Numbers
    below: Numbers | None = None
    instance: str | None = None
    count: Numbers | None = None

    def within(self, start_s: float, end_s: float) -> "Series":
        """Cut to a window, both ends included."""
        first = int(np.searchsorted(self.at_s, start_s, "left"))
        after = int(np.searchsorted(self.at_s, end_s, "right"))
        below = None if self.below is None else self.below[first:after]
        count = None if self.count is None else self.count[first:after]
        at_s, above = self.at_s[first:after], self.above[first:after]
        return Series(at_s, above, below, self.instance, count)

    def values(self) -> Numbers:
        """The figure at each moment; a ratio over nothing is infinite."""
        if self.below is None:
            return self.above
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.above / self.below

    def mean(self) -> float:
        """The mean; for a ratio that of the sums, so that idle moments count little.

        A time per operation counts as often as there were operations.
        """
        known = np.isfinite(self.above)
        above = self.above if known.all() else self.above[known]
        if self.below is not None:
            below = float(self.below[known].sum())
            return float(above.sum()) / below if below else float("inf")
        if self.count is not None:
            weight = np.nan_to_num(self.count[known])
            if weight.sum() > 0:
                return float(np.average(above, weights=weight))
        return float(above.mean()) if len(above) else float("nan")


class Frame:
    """The counters of one recording, as series."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        """Split the samples into series; moments must not decrease."""
        columns = as_columns(samples)
        self.at_s: Numbers = np.unique(columns.at_s)
        self._series: dict[str, Series] = {}
        for name, column in columns.values.items():
            known = np.isfinite(column)
            if known.all() and len(column):
                series = Series(columns.at_s, column, instance=split_instance(name)[1])
            elif known.any():
                at_s, values = columns.at_s[known], column[known]
                series = Series(at_s, values, instance=split_instance(name)[1])
            else:
                continue
            self._series[name] = series
        self._instances: dict[str, list[str]] = {}
        for name, series in self._series.items():
            if series.instance is not None:
                family = split_instance(name)[0]
                self._instances.setdefault(family, []).append(series.instance)
        self._views: dict[str, Frame] = {}
        self._made: dict[tuple[str, tuple[str, ...], str | None, str | None], Series | None] = {}

    def names(self) -> list[str]:
        """Every counter in the recording."""
        return list(self._series)

    def moments(self, name: str) -> Numbers:
        """When a counter has a value."""
        return self._series[name].at_s

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

    def of(
        self,
        counter: str,
        plus: Sequence[str] = (),
        over: str | None = None,
        count: str | None = None,
    ) -> Series | None:
        """The series of a figure; None if any part is absent.

        ``count`` is the base counter of the figure; if it is absent, the series has no count.
        """
        key = (counter, tuple(plus), over, count)
        if key not in self._made:
            made = self._make(counter, plus, over)
            number = None if made is None or count is None else self._series.get(count)
            self._made[key] = made if made is None or number is None else _counted(made, number)
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


def _counted(figure: Series, number: Series) -> Series:
    """The figure at the moments of its count."""
    if figure.at_s is number.at_s or np.array_equal(figure.at_s, number.at_s):
        return Series(figure.at_s, figure.above, figure.below, figure.instance, number.above)
    _, left, right = np.intersect1d(figure.at_s, number.at_s, return_indices=True)

    def at_counts(values: Numbers) -> Numbers:
        moved = np.full(len(number.at_s), np.nan)
        moved[right] = values[left]
        return moved

    below = None if figure.below is None else at_counts(figure.below)
    above = at_counts(figure.above)
    return Series(number.at_s, above, below, figure.instance, number.above)


def _together(at_s: Numbers, values: Numbers, other: Series) -> tuple[Numbers, Numbers, Numbers]:
    """Both series, at the moments that both have."""
    if at_s is other.at_s:
        return at_s, values, other.above
    common, left, right = np.intersect1d(at_s, other.at_s, return_indices=True)
    return common, values[left], other.above[right]
