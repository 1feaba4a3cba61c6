"""The table of the users' lines at a level."""

from rich.console import Console, Group
from rich.text import Text

from headcount.bundle.level import LevelResult
from headcount.report.lines import FIGURES
from headcount.report.terminal.glyphs import writable
from headcount.report.terminal.parts import tables


def lines(level: LevelResult, console: Console) -> Group:
    """Make the table, in as many parts as the console needs."""
    rows = [
        [
            Text(writable(text, console))
            for text in (line.name, *(one.cell(line) for one in FIGURES))
        ]
        for line in level.lines
    ]
    return tables(["Line", *(one.heading for one in FIGURES)], rows, console)
