"""The series of one machine as columns, and the counters computed from them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from headcount.counters.columns import Column
from headcount.counters.log.stack import Stack
from headcount.counters.prometheus import values
from headcount.counters.prometheus.exposition import Labels
from headcount.counters.prometheus.mapping import Exporter

Series = tuple[str, Labels]
"""A metric, and the labels of one of its series."""
_PIECE = 4096
"""Rows that become counters at a time, so that their values fit the processor's cache."""


@dataclass
class Machine:
    """The data of one machine in a log.

    Attributes:
        name: Its name, as far as known.
        rows: Its series; missing and infinite values are absent.

    """

    name: str
    rows: Stack[Series] = field(default_factory=Stack[Series])

    @property
    def names(self) -> set[str]:
        """All metrics with a value."""
        return {metric for metric, _ in self.rows.names()}

    def series(self) -> tuple[Column, dict[Series, Column]]:
        """Times in order, and the values; of several rows with one time the last counts."""
        at_s, columns = self.rows.columns()
        if not (np.diff(at_s) > 0).all():
            at_s, backwards = np.unique(at_s[::-1], return_index=True)
            last = len(self.rows) - 1 - backwards
            columns = {name: column[last] for name, column in columns.items()}
        return at_s, columns


def computed(
    exporter: Exporter, at_s: Column, series: dict[Series, Column]
) -> tuple[str | None, Column, dict[str, Column]]:
    """The machine's own name, and times and counters, without rows that repeat the previous one."""
    kept = ~_as_before(series)
    if not kept.all():
        at_s = at_s[kept]
        series = {name: column[kept] for name, column in series.items()}
    host: str | None = None
    rows: Stack[str] = Stack()
    for begin, end in _pieces(series):
        page = _page(series, begin, begin + 1)
        host = host or values.host(exporter, page)
        if begin:
            before = _page(series, begin - 1, begin)
            _put(rows, exporter, before, page, at_s[begin - 1 : begin + 1])
        else:
            rows.begin(at_s[:1])
            rows.put(slice(None), values.columns(exporter, None, page, 0.0))
        if end - begin > 1:
            before, page = _page(series, begin, end - 1), _page(series, begin + 1, end)
            _put(rows, exporter, before, page, at_s[begin:end])
    times_s, columns = rows.columns()
    return host, times_s, columns


def _put(
    rows: Stack[str], exporter: Exporter, before: values.Pages, page: values.Pages, at_s: Column
) -> None:
    """Add the counters of pages, each with its previous page."""
    rows.begin(at_s[1:])
    elapsed_s = np.diff(at_s)
    was_s, now_s = values.clocks(exporter, before), values.clocks(exporter, page)
    if was_s is not None and now_s is not None:  # the machine's own clock
        elapsed_s = np.where(np.greater(now_s, was_s), np.subtract(now_s, was_s), elapsed_s)
    rows.put(slice(None), values.columns(exporter, before, page, elapsed_s))


def _as_before(series: Mapping[Series, Column]) -> NDArray[np.bool_]:
    """A mask of the rows that have exactly the values of the previous one."""
    size = len(next(iter(series.values())))
    same = np.ones(size, dtype=bool)
    same[0] = False
    for column in series.values():
        now, was = column[1:], column[:-1]
        same[1:] &= (now == was) | (np.isnan(now) & np.isnan(was))
    return same


def _pieces(series: Mapping[Series, Column]) -> Iterator[tuple[int, int]]:
    """Ranges of rows that have the same series."""
    size = len(next(iter(series.values())))
    change = np.zeros(size, dtype=bool)
    change[::_PIECE] = True
    for column in series.values():
        absent = np.isnan(column)
        change[1:] |= absent[1:] != absent[:-1]
    begins = np.flatnonzero(change)
    yield from zip(begins.tolist(), [*begins[1:].tolist(), size], strict=True)


def _page(series: Mapping[Series, Column], begin: int, end: int) -> values.Pages:
    """A range of rows that have the same series, as pages."""
    page: dict[str, dict[Labels, values.Values]] = {}
    for (metric, labels), column in series.items():
        if not np.isnan(column[begin]):
            page.setdefault(metric, {})[labels] = column[begin:end]
    return page
