"""Groups of scenarios level by level: how throughput and response times grow with the users."""

from headcount.bundle.level import LevelResult
from headcount.report.content import ReportContent
from headcount.report.groups import NOTE, REPORTED, Figure, figures, stress_point
from headcount.report.html.table import Cell, Column, row, table
from headcount.report.html.table import folded as make_section
from headcount.report.markup import Html, element
from headcount.report.selection import by_users
from headcount.text import count

TITLE = "Throughput and mean response times"


def section(content: ReportContent) -> Html | None:
    """Show the figures of the groups at every level; nothing for workloads without groups."""
    found = figures(content.levels)
    if not found:
        return None
    columns = [
        Column("Users"),
        Column("Outcome", text=True),
        *(Column(each.heading) for each in found),
    ]
    rows = [
        row(columns, [count(level.users), level.outcome, *_cells(found, level)], level.outcome)
        for level in by_users(content.levels)
    ]
    message = stress_point(content.verdict)
    return make_section(
        TITLE,
        element("p", message) if message else None,
        table(columns, rows, TITLE, "levels"),
        element("p", NOTE, class_="note"),
    )


def _cells(found: list[Figure], level: LevelResult) -> list[Cell]:
    return [_missing(each, level) or each.cell(level) for each in found]


def _missing(figure: Figure, level: LevelResult) -> Cell | None:
    """Mark a level at which users did not report: stuck users generate no load."""
    reported = level.users_reported
    if figure.heading != REPORTED or reported is None or reported >= level.users:
        return None
    return element("b", count(reported))
