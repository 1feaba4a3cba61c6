"""A table of figures: named and explained columns, and rows of plain values."""

from collections.abc import Sequence
from dataclasses import dataclass

Value = str | int | float | bool | None
"""A cell; None is a missing figure, never a zero."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        name: For programs: `p95_ms`; ends in the unit, if there is one.
        label: For people, with the unit: "95th percentile (ms)".
        about: What it is, in a sentence.

    """

    name: str
    label: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a run.

    Attributes:
        name: For files: `levels`.
        title: For people: "Levels".
        columns: In their order.
        rows: The rows, each with a value per column.

    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]

    def column(self, name: str) -> int:
        """The index of the column of that name; raises KeyError without one."""
        for place, column in enumerate(self.columns):
            if column.name == name:
                return place
        raise KeyError(name)

    def values(self, name: str) -> list[Value]:
        """The column of that name, from top to bottom."""
        place = self.column(name)
        return [row[place] for row in self.rows]
