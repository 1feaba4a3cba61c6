"""Prices on the terminal."""

from rich.console import Console
from rich.text import Text

from headcount.analyse.prices.price_report import PriceReport
from headcount.report.prices.tables import tables
from headcount.report.terminal.glyphs import writable
from headcount.report.terminal.price_table import table
from headcount.text import clean


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
