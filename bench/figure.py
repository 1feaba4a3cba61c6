"""One figure, and the table of them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure. Smaller is better in all of them.

    Attributes:
        subject: The group it is printed in.
        name: What was measured.
        value: How much.
        unit: Of what.
        target: What it should be at most, or is compared with; None without one.
        against: What the target is, in a word or two.

    """

    subject: str
    name: str
    value: float
    unit: str
    target: float | None = None
    against: str = "target"

    @property
    def ratio(self) -> float | None:
        """The figure as a multiple of its target; None without one, or when that is zero."""
        return self.value / self.target if self.target else None

    def as_json(self) -> dict[str, str | float | None]:
        """The figure as it is written to a file."""
        return {
            "subject": self.subject,
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "target": self.target,
            "against": self.against if self.target is not None else None,
            "ratio": self.ratio,
        }


def show(subject: str, figures: Iterable[Figure], console: Console) -> None:
    """Print the figures of one subject."""
    console.print(subject, style="bold")
    table = Table(box=None, pad_edge=False)
    table.add_column("figure", width=44)
    table.add_column("measured", justify="right", width=9)
    table.add_column("unit", width=12)
    table.add_column("against", width=11)
    table.add_column("", justify="right", width=8)
    table.add_column("ratio", justify="right", width=8)
    for figure in figures:
        target = "" if figure.target is None else plain(figure.target)
        ratio = "" if figure.ratio is None else plain(figure.ratio)
        against = figure.against if target else ""
        table.add_row(figure.name, plain(figure.value), figure.unit, against, target, ratio)
    console.print(table)
    console.print()


def plain(value: float) -> str:
    """A number with three significant digits, and never an exponent."""
    if value == 0:
        return "0"
    digits = 2 - math.floor(math.log10(abs(value)))
    return f"{value:,.{min(max(digits, 0), 6)}f}"
