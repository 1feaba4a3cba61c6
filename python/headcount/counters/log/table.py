"""Counters of a log as columns, and the samples made of them without copying.

A log may have a thousand columns and ten thousand rows. Kept as one array that is 80 MB; as a
dictionary for each row it would be a gigabyte.
"""

import math
from collections.abc import ItemsView, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from headcount.counters.source import Sample

Column = NDArray[np.float64]
"""The values of one counter at all times of a log; NaN where the log has none."""


class Row(Mapping[str, float]):
    """The counters of one moment: a view of one row of the columns. Absent figures are absent."""

    __slots__ = ("_index", "_values")

    def __init__(self, index: Mapping[str, int], values: Column) -> None:
        """Index the row by the names of the columns."""
        self._index: Final = index
        self._values: Final = values

    def __getitem__(self, name: str) -> float:
        """The value; KeyError where the log has none, as of any other name."""
        value = float(self._values[self._index[name]])
        if np.isnan(value):
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        """The names of the figures that are there."""
        present = ~np.isnan(self._values)
        return (name for name, here in zip(self._index, present, strict=True) if here)

    def __len__(self) -> int:
        """The number of figures that are there."""
        return int(np.count_nonzero(~np.isnan(self._values)))

    def items(self) -> ItemsView[str, float]:
        """All figures that are there; ten times as quick as one by one."""
        numbers = zip(self._index, self._values.tolist(), strict=True)
        return {name: value for name, value in numbers if not math.isnan(value)}.items()

    def __repr__(self) -> str:
        """The figures that are there, as a dictionary would show them."""
        return f"Row({dict(self.items())!r})"


def samples(times_s: Sequence[float], columns: Mapping[str, Column]) -> tuple[Sample, ...]:
    """One sample for each time, in order of time; each column has as many values as times.

    Times that are equal keep the log's order.
    """
    index = {name: place for place, name in enumerate(columns)}
    size = (len(times_s), len(columns))
    values = np.column_stack(list(columns.values())) if columns else np.empty(size)
    values[~np.isfinite(values)] = np.nan
    order = np.argsort(np.asarray(times_s, dtype=np.float64), kind="stable")
    return tuple(Sample(float(times_s[row]), Row(index, values[row])) for row in order)


def columns_of(rows: Sequence[Mapping[str, float]]) -> dict[str, Column]:
    """The columns of rows, names in the order in which they first appear."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: np.full(len(rows), np.nan) for name in names}
    for place, row in enumerate(rows):
        for name, value in row.items():
            columns[name][place] = value
    return columns


def total(parts: Sequence[Column]) -> Column:
    """The sum of columns; where some lack a value, of those that have one."""
    stack = np.vstack(parts)
    known = np.count_nonzero(~np.isnan(stack), axis=0)
    return np.where(known > 0, np.nansum(stack, axis=0), np.nan)


def highest(parts: Sequence[Column]) -> Column:
    """The largest of the columns' values at each time; absent where all are."""
    result: Column = np.fmax.reduce(np.vstack(parts))
    return result


def average(parts: Sequence[Column]) -> Column:
    """The mean of the columns' values at each time; absent where all are."""
    stack = np.vstack(parts)
    known = np.count_nonzero(~np.isnan(stack), axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(known > 0, np.nansum(stack, axis=0) / known, np.nan)


def per_second(count: Column, times_s: Column) -> Column:
    """The growth of a running count per second since the row before.

    Absent in the first row, where a value is missing, and where the count went backwards: whatever
    kept it started anew.
    """
    result = np.full(len(count), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        result[1:] = np.diff(count) / np.diff(times_s)
    result[~np.isfinite(result) | (result < 0)] = np.nan
    return result
