"""The score of tasks, and marks per minute, against users."""

from headcount.bundle.level import LevelResult
from headcount.report.chart import axis
from headcount.report.chart.band import capacity_band
from headcount.report.chart.dots import dots, whiskers
from headcount.report.chart.figure import Room, drawing, figure
from headcount.report.chart.hover import strips
from headcount.report.chart.limit import limit_rule
from headcount.report.chart.line import through_levels
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import for_times
from headcount.report.chart.tick import time_tick
from headcount.report.content import ReportContent
from headcount.report.figures.levels import marks as legend
from headcount.report.figures.levels import users_scale, valid
from headcount.report.html.table import Cell, Column, Filled, row, table
from headcount.report.html.table import folded as make_section
from headcount.report.markup import Html, element, joined
from headcount.report.selection import by_users
from headcount.report.tasks import has_figures
from headcount.text import DASH, count, duration, interval, plural, significant

_NOTE = (
    "Score: the weighted mean of a percentile of the tasks' times; it is Headcount's own, not a "
    "score of the original benchmark. Below score and marks: their 95% confidence intervals."
)


def section(content: ReportContent) -> Html | None:
    """Show score and marks of every level; nothing for workloads without them."""
    if not has_figures(content.levels):
        return None
    title = _title(content)
    drawn = any(_score(level) is not None for level in content.levels)
    note = legend(content.levels) + " Vertical bars are 95% confidence intervals."
    return make_section(
        title,
        figure(lambda room: _drawing(content, room), note) if drawn else None,
        _table(content, title),
        element("p", _NOTE, class_="note"),
        style="chart",
    )


def _title(content: ReportContent) -> str:
    parts = [
        "Score" if any(level.score for level in content.levels) else None,
        "marks" if any(level.marks for level in content.levels) else None,
    ]
    named = " and ".join(part for part in parts if part)
    return f"{named[0].upper()}{named[1:]} against users"


def _score(level: LevelResult) -> float | None:
    return level.score.value if level.score else None


def limits(content: ReportContent) -> list[tuple[str, float]]:
    """Return the criteria that limit the score, each with its limit in ms."""
    return sorted(
        {
            (judged.criterion, judged.limit)
            for level in content.levels
            for judged in level.criteria
            if judged.criterion.startswith("score<")
        }
    )


def _drawing(content: ReportContent, room: Room) -> Html:
    right = room.width - room.right
    x = users_scale(content, room.left, right)
    top = 64.0
    bottom = top + (240.0 if room.hover else 190.0)
    levels = content.levels
    ends = [end for level in levels if level.score for end in level.score.interval or ()]
    limited = limits(content)
    values = [*(_score(level) for level in levels), *ends, *(limit for _, limit in limited)]
    panel = Panel(room.left, top, right, bottom, x, for_times(values, bottom, top))
    names = list(dict.fromkeys(level.score.name for level in levels if level.score))
    return drawing(
        room,
        bottom + 46,
        "Score against users",
        _in_words(content),
        axis.upright(panel, time_tick),
        capacity_band([panel], content.verdict.capacity, short=not room.hover),
        element("text", ", ".join(names), x=panel.left - 52, y=16, class_="title"),
        *(limit_rule(panel, text, limit) for text, limit in limited),
        through_levels(panel, [(level.users, _score(level)) for level in valid(levels)], "p95"),
        whiskers(
            panel,
            [(level.users, level.score.interval) for level in levels if level.score],
            "p95",
        ),
        dots(panel, [(level.users, _score(level), level.outcome) for level in levels], "p95"),
        axis.lower(panel, count, room.x_ticks, "Users"),
        strips([panel], [(level.users, _hover_text(level)) for level in levels])
        if room.hover
        else None,
    )


def _hover_text(level: LevelResult) -> str:
    rate = f", {significant(level.marks.per_minute)} marks a minute" if level.marks else ""
    return f"{plural('user', level.users)}: {level.outcome}\nscore {duration(_score(level))}{rate}"


def _in_words(content: ReportContent) -> str:
    parts = [level for level in content.levels if _score(level) is not None]
    first = min(parts, key=lambda level: level.users)
    last = max(parts, key=lambda level: level.users)
    return (
        f"The score goes from {duration(_score(first))} at {plural('user', first.users)} to "
        f"{duration(_score(last))} at {plural('user', last.users)}. All figures are in the table "
        "below."
    )


def _table(content: ReportContent, label: str) -> Html:
    filled = [
        Filled(Column("Users"), lambda level: count(level.users)),
        Filled(Column("Outcome", text=True), lambda level: level.outcome),
    ]
    if any(level.score for level in content.levels):
        filled.append(Filled(Column("Score"), _score_cell))
    if any(level.marks for level in content.levels):
        filled.append(Filled(Column("Marks a minute"), _marks_cell))
    columns = [one.column for one in filled]
    rows = [
        row(columns, [one.cell(level) for one in filled], level.outcome)
        for level in by_users(content.levels)
    ]
    return table(columns, rows, label, "levels")


def _score_cell(level: LevelResult) -> Cell:
    text = duration(_score(level))
    bounds = level.score.interval if level.score else None
    return joined([text, element("small", interval(*bounds, duration))]) if bounds else text


def _marks_cell(level: LevelResult) -> Cell:
    if level.marks is None:
        return DASH
    rate, bounds = significant(level.marks.per_minute), level.marks.interval_per_minute
    if bounds is None:
        return rate
    return joined([rate, element("small", interval(*bounds, significant))])
