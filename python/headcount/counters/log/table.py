"""Counters of a log as columns, and sums over some of them."""

from collections.abc import Mapping, Sequence

import numpy as np

from headcount.counters.columns import Column, Columns, sorted_columns


def samples(times_s: Sequence[float] | Column, columns: Mapping[str, Column]) -> Columns:
    """One sample for each time, in order of time; each column has as many values as times.

    Times that are equal keep the log's order.
    """
    return sorted_columns(np.asarray(times_s, dtype=np.float64), columns)


def total(parts: Sequence[Column]) -> Column:
    """The sum of columns; at each time, of those that have a value."""
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

    Absent in the first row, where a value is missing, and where the count went backwards, because
    it was reset.
    """
    result = np.full(len(count), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        result[1:] = np.diff(count) / np.diff(times_s)
    result[~np.isfinite(result) | (result < 0)] = np.nan
    return result
