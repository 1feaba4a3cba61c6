"""Prices on the terminal."""

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from headcount.analyse.prices.price_report import PriceReport
from headcount.report.prices.tables import PriceTable, tables
from headcount.report.terminal.glyphs import writable
from headcount.text import clean

SHORT = 12
"""Characters up to which a column is never broken: a word, or an amount."""


def show(report: PriceReport, console: Console) -> None:
    """Print the answer, the tables and the doubts."""

    def say(text: str, style: str = "") -> None:
        console.print(Text(writable(clean(text), console), style=style))

    for sentence in report.sentences:
        say(sentence, "bold" if sentence is report.sentences[0] else "")
    for printed in tables(report):
        if printed.title:
            say(f"\n{printed.title}")
        console.print(table(printed, console))
        if printed.note:
            say(printed.note, "dim")
    for doubt in report.doubts:
        say(f"Doubt: {doubt}", "yellow")


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
        # Text, never Rich's markup: what people name in brackets is not a style.
        made.add_row(*(Text(writable(cell, console)) for cell in row))
    return made
