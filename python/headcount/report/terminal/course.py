"""The table of steps at each level of a ladder."""

from collections.abc import Callable, Sequence

from rich.console import Console, Group
from rich.text import Text

from headcount.analyse.time_text import time_text
from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Verdict
from headcount.report.course import connections_per_s, course, moved_per_s
from headcount.report.selection import by_users
from headcount.report.terminal.glyphs import writable
from headcount.report.terminal.parts import tables
from headcount.text import count, megabytes_per_s, significant


def steps(verdict: Verdict, levels: Sequence[LevelResult], console: Console) -> Group | None:
    """Make the table of mean times of the steps; None if there is nothing to show."""
    shown = course(verdict, levels)
    if shown is None:
        return None
    columns: dict[str, Callable[[LevelResult], str]] = {"Users": lambda level: count(level.users)}
    if shown.moved:
        columns["MB/s"] = lambda level: megabytes_per_s(moved_per_s(level)).removesuffix(" MB/s")
    if shown.connections:
        columns["Conn/s"] = lambda level: significant(connections_per_s(level))
    for name in shown.steps:
        columns[name] = _mean(name)
    rows = [
        [Text(writable(cell(level), console)) for cell in columns.values()]
        for level in by_users(levels)
    ]
    return tables(list(columns), rows, console, frozenset())


def _mean(name: str) -> Callable[[LevelResult], str]:
    def cell(level: LevelResult) -> str:
        times = next((step.service for step in level.steps if step.name == name), None)
        return time_text(times, "mean_ms")

    return cell
