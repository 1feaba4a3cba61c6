"""The steps at each level of a ladder: bytes, connections, and times of each step."""

from headcount.bundle.level import LevelResult
from headcount.report.content import ReportContent
from headcount.report.course import connections_per_s, course, mean_ms, moved_per_s, p95_ms
from headcount.report.html.table import Cell, Column, Filled, row, table
from headcount.report.html.table import folded as make_section
from headcount.report.markup import Html, element, joined
from headcount.report.selection import by_users
from headcount.text import count, duration, megabytes_per_s, significant

_NOTE = (
    "Mean service time of each step, from its actual start, with the 95th percentile below. "
    "Decimal megabytes, read and written."
)


def section(content: ReportContent) -> Html | None:
    """Show a row for each level of a ladder; nothing for other runs."""
    layout = course(content.verdict, content.levels)
    if layout is None:
        return None
    filled = [
        Filled(Column("Users"), lambda level: count(level.users)),
        Filled(Column("Scenarios /s"), lambda level: significant(level.achieved_per_s)),
    ]
    if layout.moved:
        filled.append(Filled(Column("Moved"), lambda level: megabytes_per_s(moved_per_s(level))))
    if layout.connections:
        cell = Filled(Column("Connections /s"), lambda level: significant(connections_per_s(level)))
        filled.append(cell)
    filled += [_step(name) for name in layout.steps]
    columns = [one.column for one in filled]
    rows = [
        row(columns, [one.cell(level) for one in filled], level.outcome)
        for level in by_users(content.levels)
    ]
    return make_section(
        "Steps at every level",
        table(columns, rows, "Steps at every level", "levels"),
        element("p", _NOTE, class_="note"),
    )


def _step(name: str) -> Filled:
    mean, p95 = mean_ms(name), p95_ms(name)

    def cell(level: LevelResult) -> Cell:
        return joined([duration(mean(level)), element("small", duration(p95(level)))])

    return Filled(Column(name), cell)
