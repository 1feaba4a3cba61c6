"""The lines of users: the figures of each line at the level that stands for the answer."""

from headcount.report.content import ReportContent
from headcount.report.html.table import Column, row, table
from headcount.report.html.table import folded as make_section
from headcount.report.lines import FIGURES, NOTE, TITLE
from headcount.report.markup import Html, element
from headcount.report.selection import shown
from headcount.text import plural


def section(content: ReportContent) -> Html | None:
    """Show the lines of the level at the published capacity; nothing for a run without lines."""
    level = shown(content.verdict, content.levels)
    if level is None or not level.lines:
        return None
    columns = [Column("Line", text=True), *(Column(each.heading) for each in FIGURES)]
    rows = [
        row(columns, [line.name, *(each.cell(line) for each in FIGURES)]) for line in level.lines
    ]
    return make_section(
        f"{TITLE}, at {plural('user', level.users)} ({level.outcome})",
        table(columns, rows, TITLE),
        element("p", NOTE, class_="note"),
    )
