"""The table of a level's tasks, as many of its columns as the console is wide enough for."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from headcount.bundle.level import LevelResult
from headcount.report.tasks import Figure, figures
from headcount.report.terminal.glyphs import BLOCKS, glyphs, writable

_BETWEEN = 3
"""Columns of the console that part one column of the table from the next."""


def tasks(level: LevelResult, console: Console) -> Table:
    """Make the table; columns that matter least go first where there is no room."""
    found = figures(level)
    while _width(level, found) > console.width and any(each.goes for each in found):
        found.remove(max(found, key=lambda each: each.goes))
    box = SIMPLE_HEAD if glyphs(console) is BLOCKS else None
    made = Table(box=box, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False)
    made.add_column("Task", no_wrap=True, overflow="crop")
    for each in found:
        made.add_column(each.heading, justify="right", no_wrap=True, overflow="crop")
    for task in level.tasks:
        cells = [task.name, *(each.cell(task) for each in found)]
        made.add_row(*(writable(cell, console) for cell in cells))
    return made


def _width(level: LevelResult, found: Sequence[Figure]) -> int:
    names = max(len("Task"), *(len(task.name) for task in level.tasks))
    return names + sum(
        _BETWEEN + max(len(each.heading), *(len(each.cell(task)) for task in level.tasks))
        for each in found
    )
