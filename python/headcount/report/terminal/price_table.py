"""A table of prices on the terminal."""

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from headcount.report.prices.items import PriceTable
from headcount.report.terminal.glyphs import writable

SHORT = 12
"""Columns up to this many characters, words or amounts, never wrap."""


def table(printed: PriceTable, console: Console) -> Table:
    """One table for a console."""
    made = Table(box=SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for index, head in enumerate(printed.heads):
        longest = max(len(row[index]) for row in printed.rows)
        words = [word for row in printed.rows for word in row[index].split()]
        made.add_column(
            head,
            justify="left" if index < printed.texts else "right",
            overflow="fold",
            no_wrap=longest <= SHORT,
            min_width=min(max(map(len, [*words, *head.split()])), SHORT),
        )
    for row in printed.rows:
        # Text, never Rich markup: brackets in names are not styles.
        made.add_row(*(Text(writable(cell, console)) for cell in row))
    return made
