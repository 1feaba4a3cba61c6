"""The tasks at capacity: what was timed inside steps."""

from headcount.bundle.level import LevelResult, TaskResult
from headcount.report.content import ReportContent
from headcount.report.html.table import Cell, Column, row, table
from headcount.report.html.table import folded as make_section
from headcount.report.markup import Html, element, joined
from headcount.report.selection import shown
from headcount.report.tasks import NOTE, WEIGHED, Figure, figures, missing_tasks
from headcount.text import duration, interval, plural


def section(content: ReportContent) -> Html | None:
    """Show the tasks of the level at the published capacity; nothing if none ran."""
    level = shown(content.verdict, content.levels)
    if level is None or not level.tasks:
        return None
    found = figures(level)
    columns = [Column("Task", text=True), *(Column(each.heading) for each in found)]
    rows = [
        row(columns, [task.name, *(_cell(each, task) for each in found)]) for task in level.tasks
    ]
    missing = missing_tasks(level)
    return make_section(
        f"Tasks at {plural('user', level.users)} ({level.outcome})",
        table(columns, rows, "Tasks"),
        element("p", missing) if missing else None,
        element("p", NOTE + (WEIGHED if _weighed(level) else ""), class_="note"),
    )


def _weighed(level: LevelResult) -> bool:
    return level.score is not None


def _cell(figure: Figure, task: TaskResult) -> Cell:
    value = figure.cell(task)
    if figure.heading != "p95" or task.p95_interval_ms is None:
        return value
    return joined([value, element("small", interval(*task.p95_interval_ms, duration))])
