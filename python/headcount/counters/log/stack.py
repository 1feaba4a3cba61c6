"""Columns that grow by many rows at a time, without memory overhead."""

from array import array
from collections.abc import Hashable, Mapping, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from headcount.counters.columns import Column, check_cells

K = TypeVar("K", bound=Hashable)
"""The type of a column's key."""


class Stack(Generic[K]):
    """Rows added in pieces; a column that a piece lacks is absent there."""

    def __init__(self) -> None:
        """Begin without rows."""
        self._times = array("d")
        self._columns: dict[K, array[float]] = {}
        self._begun = 0
        self._given = 0

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._times)

    def names(self) -> list[K]:
        """The keys of the columns, in the order in which they first appear."""
        return list(self._columns)

    def begin(self, times_s: Sequence[float] | Column) -> None:
        """Add a piece of rows that so far have only their times."""
        self._begun = len(self._times)
        self._times.frombytes(np.asarray(times_s, dtype=np.float64).tobytes())

    def put(
        self, places: NDArray[np.intp] | slice, values: Mapping[K, Column | Sequence[float] | float]
    ) -> None:
        """Put values into rows of the last piece; leaves out columns that are absent in all."""
        for name, value in values.items():
            numbers = np.asarray(value, dtype=np.float64)
            if not np.isnan(numbers).all():
                piece = self._last(name)
                piece[places] = numbers
                # A single number may fill many rows.
                filled = places if isinstance(places, np.ndarray) else piece[places]
                self._given += filled.size

    def _last(self, name: K) -> Column:
        """The last piece of a column."""
        if name not in self._columns:
            check_cells(len(self._times), len(self._columns) + 1, self._given)
        column = self._columns.setdefault(name, array("d"))
        _pad(column, len(self._times))
        return np.frombuffer(column)[self._begun :]

    def columns(self) -> tuple[Column, dict[K, Column]]:
        """Times and columns in the order of the rows; no more rows can be added.

        Names are in the order in which they first appear.
        """
        check_cells(len(self._times), len(self._columns), self._given)
        for column in self._columns.values():
            _pad(column, len(self._times))
        found = {name: np.frombuffer(column) for name, column in self._columns.items()}
        return np.frombuffer(self._times) if self._times else np.empty(0), found


def _pad(column: "array[float]", rows: int) -> None:
    missing = rows - len(column)
    if missing > 0:
        column.frombytes(np.full(missing, np.nan).tobytes())
