"""Samples kept as columns: a log of half a million rows takes megabytes, not gigabytes."""

import math
from array import array
from collections.abc import ItemsView, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, overload

import numpy as np
from numpy.typing import NDArray

from headcount.counters.source import Sample

Column = NDArray[np.float64]
"""The values of one counter at all times of a log; NaN where the log has none."""


class Row(Mapping[str, float]):
    """The counters at one time: a view of one row of the columns, without absent figures."""

    __slots__ = ("_columns", "_row")

    def __init__(self, columns: Mapping[str, Column], row: int) -> None:
        """View one row of the columns."""
        self._columns: Final = columns
        self._row: Final = row

    def __getitem__(self, name: str) -> float:
        """The value; raises KeyError if it is absent or the name is unknown."""
        value = float(self._columns[name][self._row])
        if math.isnan(value):
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        """The names of the figures that are present."""
        return iter(dict(self.items()))

    def __len__(self) -> int:
        """The number of figures that are present."""
        return len(self.items())

    def items(self) -> ItemsView[str, float]:
        """All figures that are present; faster than one by one."""
        row = self._row
        numbers = ((name, float(column[row])) for name, column in self._columns.items())
        return {name: value for name, value in numbers if not math.isnan(value)}.items()

    def __repr__(self) -> str:
        """The figures that are present, in the form of a dictionary."""
        return f"Row({dict(self.items())!r})"


class Columns(Sequence[Sample]):
    """Samples in order of time, kept as one array per counter; makes a sample on access.

    Attributes:
        at_s: The time of each sample.
        values: Each counter at each time; NaN if absent.

    """

    __slots__ = ("at_s", "values")

    def __init__(self, at_s: Column, values: Mapping[str, Column]) -> None:
        """Keep columns whose times do not decrease."""
        self.at_s: Final = at_s
        self.values: Final = values

    def within(self, start_s: float, end_s: float) -> "Columns":
        """The samples from one time to another, both included. Views, not copies."""
        first = int(np.searchsorted(self.at_s, start_s, "left"))
        after = int(np.searchsorted(self.at_s, end_s, "right"))
        return self._cut(slice(first, after))

    def _cut(self, part: slice) -> "Columns":
        return Columns(self.at_s[part], {name: one[part] for name, one in self.values.items()})

    @overload
    def __getitem__(self, place: int) -> Sample: ...
    @overload
    def __getitem__(self, place: slice) -> "Columns": ...
    def __getitem__(self, place: int | slice) -> "Sample | Columns":
        """One sample, or a part of them."""
        if isinstance(place, slice):
            return self._cut(place)
        row = range(len(self))[place]
        return Sample(float(self.at_s[row]), Row(self.values, row))

    def __len__(self) -> int:
        """The number of samples."""
        return len(self.at_s)

    def __eq__(self, other: object) -> bool:
        """Whether another sequence has the same samples."""
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        """The hash of the object's identity: columns can change."""
        return id(self)


def sorted_columns(at_s: Column, values: Mapping[str, Column]) -> Columns:
    """Columns in order of time; equal times keep their order. Infinite values become absent."""
    if len(at_s) > 1 and (np.diff(at_s) < 0).any():
        order = np.argsort(at_s, kind="stable")
        at_s = at_s[order]
        values = {name: column[order] for name, column in values.items()}
    return Columns(at_s, {name: _finite(column) for name, column in values.items()})


_LARGEST = 1e99
"""No counter is larger; the square and cube of this are still finite."""


def _finite(column: Column) -> Column:
    infinite = np.abs(column) > _LARGEST
    return np.where(infinite, np.nan, column) if infinite.any() else column


_MANY_CELLS, _CELLS_A_VALUE = 32_000_000, 32


def check_cells(rows: int, columns: int, given: int) -> None:
    """Raise ValueError for columns that are almost empty and take far more memory than the log.

    `given` is the number of values. In a small file whose lines all have different counters, there
    may be millions of columns and rows.
    """
    cells = rows * columns
    if cells > _MANY_CELLS and cells > _CELLS_A_VALUE * given:
        raise ValueError(
            f"{given:,} values in {columns:,} columns and {rows:,} rows: almost all are empty"
        )


_PIECE_ROWS = 1 << 15
"""Rows that are turned into columns at a time."""


@dataclass(slots=True)
class _Block:
    """Rows with the same counters: their indexes among all rows, and their values."""

    rows: "array[int]" = field(default_factory=lambda: array("l"))
    numbers: "array[float]" = field(default_factory=lambda: array("d"))


class Builder:
    """Collects rows one by one, with eight bytes per number."""

    def __init__(self) -> None:
        """Begin without rows."""
        self._times = array("d")
        self._blocks: dict[tuple[str, ...], _Block] = {}
        self._pieces: list[tuple[int, dict[str, Column]]] = []
        self._begun = 0
        self._given = 0
        self._names: set[str] = set()

    def add(self, at_s: float, names: tuple[str, ...], values: Sequence[float | None]) -> None:
        """Add a row, which has as many values as names; None is absent."""
        if len(self._times) - self._begun == _PIECE_ROWS:
            self._close_piece()
        block = self._blocks.get(names)
        if block is None:
            block = self._blocks[names] = _Block()
            self._names.update(names)
        block.rows.append(len(self._times) - self._begun)
        self._times.append(at_s)
        block.numbers.extend([math.nan if value is None else value for value in values])

    def columns(self) -> Columns:
        """All rows, in order of time; empties the builder."""
        at_s, found = self.unordered()
        return sorted_columns(at_s, found)

    def unordered(self) -> tuple[Column, dict[str, Column]]:
        """Times and columns in the order in which rows were added; empties the builder.

        Names are in the order in which they first appear.
        """
        self._close_piece()
        names = dict.fromkeys(name for _, piece in self._pieces for name in piece)
        found = {}
        for name in names:
            parts = [piece.pop(name, None) for _, piece in self._pieces]
            found[name] = np.concatenate(
                [
                    np.full(rows, np.nan) if part is None else part
                    for part, (rows, _) in zip(parts, self._pieces, strict=True)
                ]
            )
        return np.array(self._times), found

    def _close_piece(self) -> None:
        """Turn the rows since the last piece into columns: only a piece is in memory twice."""
        self._given += sum(len(block.numbers) for block in self._blocks.values())
        check_cells(len(self._times), len(self._names), self._given)
        size = len(self._times) - self._begun
        piece: dict[str, Column] = {}
        for names, block in self._blocks.items():
            rows = np.array(block.rows)
            numbers = np.frombuffer(block.numbers) if block.numbers else np.empty(0)
            for place, name in enumerate(names):
                if name not in piece:
                    piece[name] = np.full(size, np.nan)
                piece[name][rows] = numbers[place :: len(names)]
        self._pieces.append((size, piece))
        self._blocks = {}
        self._begun = len(self._times)


def as_columns(samples: Sequence[Sample]) -> Columns:
    """Samples of any kind as columns, in order of time."""
    if isinstance(samples, Columns):
        return samples
    made = Builder()
    for sample in samples:
        made.add(sample.at_s, tuple(sample.values), tuple(sample.values.values()))
    return made.columns()
