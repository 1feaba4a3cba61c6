"""Every level, none left out: what a reader checks the answer against."""

from collections.abc import Callable, Sequence

from headcount.analyse.time_text import Name, time_text
from headcount.bundle.level import LevelResult
from headcount.report.answer_sentences import PURPOSE, objections
from headcount.report.content import ReportContent
from headcount.report.figures.levels import is_behind
from headcount.report.html import usage
from headcount.report.html.table import Cell, Column, Filled, row, table
from headcount.report.html.table import folded as make_section
from headcount.report.markup import Html, element, joined
from headcount.report.selection import by_users, errors_share
from headcount.text import count, duration, interval, share, significant, span, unbroken

_NOTE = (
    "Sorted by users. Below the outcome: the level's number and purpose. Overload: late, slow or "
    "failed. Below errors: their share of all scenarios that ended. Below p95: its 95% confidence "
    "interval. Little's law: how far the number of users is from throughput times response and "
    "think time; a large figure means that Headcount lost users or times."
)
_USED = " Resources at capacity explains CPU, memory, disk and network."


def section(content: ReportContent) -> Html | None:
    """List the levels from the fewest users up, with the reasons of those that did not pass."""
    if not content.levels:
        return None
    filled = [*_PLAYED, *usage.columns(content), *_CHECKED]
    columns = [one.column for one in filled]
    rows: list[Html] = []
    for level in by_users(content.levels):
        rows.append(row(columns, [one.cell(level) for one in filled], level.outcome))
        why = _why(level, len(columns))
        rows += [why] if why is not None else []
    return make_section(
        "Every level",
        _criteria(content),
        table(columns, rows, "Every level", "levels"),
        element("p", _NOTE + (_USED if usage.sampled(content) else ""), class_="note"),
    )


def _criteria(content: ReportContent) -> Html | None:
    if not content.criteria:
        return None
    named = joined(
        joined([", " if index else None, element("code", criterion)])
        for index, criterion in enumerate(content.criteria)
    )
    return element("p", "A level passes when all of these hold: ", named, ".")


def _outcome(level: LevelResult) -> Cell:
    outcome = element("span", level.outcome, class_=f"outcome {level.outcome}")
    return joined([outcome, element("small", f"{level.index}: {PURPOSE[level.purpose]}")])


def _rate(level: LevelResult) -> Cell:
    due = f"of {significant(level.offered_per_s)} due" if is_behind(level) else None
    return joined([significant(level.achieved_per_s), element("small", due) if due else None])


def _errors(level: LevelResult) -> Cell:
    failed = level.total.failed
    part = element("small", share(errors_share(level.total))) if failed else None
    return joined([count(failed), part])


def _percentile(name: Name) -> Callable[[LevelResult], Cell]:
    return lambda level: time_text(level.total.response, name)


def _p95(level: LevelResult) -> Cell:
    bounds = level.total.p95_interval_ms
    # On paper the range may break, but only at the dash.
    wider = " or wider" if level.total.p95_interval_unreliable else ""
    spread = element("small", unbroken(interval(*bounds, duration) + wider)) if bounds else None
    return joined([time_text(level.total.response, "p95_ms"), spread])


def _steady(level: LevelResult) -> Cell:
    if level.steadiness.steady:
        return joined(["yes", element("small", span(level.steady_s))])
    return element("b", "no")


_PLAYED: Sequence[Filled] = (
    Filled(Column("Users"), lambda level: count(level.users)),
    Filled(Column("Outcome", text=True), _outcome),
    Filled(Column("Overload"), lambda level: share(level.total.overload)),
    Filled(Column("Scenarios /s"), _rate),
    Filled(Column("Errors"), _errors),
    Filled(Column("p50"), _percentile("p50_ms")),
    Filled(Column("p95"), _p95),
    Filled(Column("p99"), _percentile("p99_ms")),
)

_CHECKED: Sequence[Filled] = (
    Filled(Column("Little's law"), lambda level: share(level.little_error)),
    Filled(Column("Steady", text=True), _steady),
)


def _why(level: LevelResult, columns: int) -> Html | None:
    """Say in full why a level did not pass, and what else speaks against it."""
    reasons = objections(level)
    if not reasons:
        return None
    word = {"passed": "Note", "failed": "Failed", "invalid": "Invalid"}[level.outcome]
    # A separate block, so that it stays visible when the table is scrolled sideways.
    note = element("div", element("b", f"{word}: "), "; ".join(reasons))
    cell = element("td", note, colspan=str(columns), class_="t")
    return element("tr", cell, class_=f"why {level.outcome}")
