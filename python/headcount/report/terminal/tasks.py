"""The table of a level's tasks."""

from rich.console import Console, Group
from rich.text import Text

from headcount.bundle.level import LevelResult
from headcount.report.tasks import figures
from headcount.report.terminal.glyphs import writable
from headcount.report.terminal.parts import tables


def tasks(level: LevelResult, console: Console) -> Group:
    """Make the table, in as many parts as the console needs."""
    found = figures(level)
    rows = [
        [Text(writable(text, console)) for text in (task.name, *(one.cell(task) for one in found))]
        for task in level.tasks
    ]
    return tables(["Task", *(one.heading for one in found)], rows, console)
