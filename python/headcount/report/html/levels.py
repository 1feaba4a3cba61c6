"""Every level, none left out: what a reader checks the answer against."""

from headcount.bundle.level import LevelResult
from headcount.report.content import ReportContent
from headcount.report.html.table import Cell, Column, row, table
from headcount.report.html.table import section as make_section
from headcount.report.markup import Html, element, joined
from headcount.report.selection import counter_mean
from headcount.report.wording import PURPOSE, objections
from headcount.text import count, duration, duration_range, share, significant, span

_COLUMNS = (
    Column("Users"),
    Column("Purpose", text=True),
    Column("Outcome", text=True),
    Column("Offered /s"),
    Column("Achieved /s"),
    Column("p50"),
    Column("p95"),
    Column("p99"),
    Column("Overload"),
    Column("Errors"),
    Column("CPU"),
    Column("Little's law"),
    Column("Steady", text=True),
)


def section(content: ReportContent) -> Html | None:
    """List the levels in the order they were run, with the reasons of those that did not pass."""
    if not content.levels:
        return None
    rows = [made for level in content.levels for made in (_row(level), _why(level)) if made]
    criteria = (
        element(
            "p",
            "A level passes when all of these hold: ",
            joined(
                joined([", " if index else None, element("code", criterion)])
                for index, criterion in enumerate(content.criteria)
            ),
            ".",
        )
        if content.criteria
        else None
    )
    note = element(
        "p",
        "In the order they were run. Below p95: its 95% confidence interval. Little's law: how far "
        "the number of users is from throughput times response and think time; a large figure "
        "means that users or times were lost.",
        class_="note",
    )
    return make_section(
        "Every level", criteria, table(_COLUMNS, rows, "Every level", "levels"), note
    )


def _row(level: LevelResult) -> Html:
    total, response = level.total, level.total.response
    interval = total.p95_interval_ms
    p95 = joined(
        [
            duration(response.p95_ms if response else None),
            element("small", duration_range(*interval)) if interval else None,
        ]
    )
    cells: list[Cell] = [
        count(level.users),
        PURPOSE[level.purpose],
        element("span", level.outcome, class_=f"outcome {level.outcome}"),
        significant(level.offered_per_s),
        significant(level.achieved_per_s),
        duration(response.p50_ms if response else None),
        p95,
        duration(response.p99_ms if response else None),
        share(total.overload),
        count(total.failed),
        share(counter_mean(level, "system.cpu.utilization")),
        share(level.little_error),
        _steady(level),
    ]
    return row(_COLUMNS, cells, level.outcome)


def _steady(level: LevelResult) -> Cell:
    if level.steadiness.steady:
        return joined(["yes", element("small", span(level.steady_s))])
    return element("b", "no")


def _why(level: LevelResult) -> Html | None:
    """Say in full why a level did not pass, and whatever else speaks against it."""
    told = objections(level)
    if not told:
        return None
    word = {"passed": "Note", "failed": "Failed", "invalid": "Invalid"}[level.outcome]
    # A block of its own, so that it can stay in sight where the table is scrolled sideways.
    said = element("div", element("b", f"{word}: "), " ".join(told))
    cell = element("td", said, colspan=str(len(_COLUMNS)), class_="t")
    return element("tr", cell, class_=f"why {level.outcome}")
