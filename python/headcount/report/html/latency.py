"""Response times against users, with the limit that decides."""

from headcount.bundle.level import LevelResult, Times
from headcount.report.chart import axis
from headcount.report.chart.band import capacity_band
from headcount.report.chart.dots import dots, whiskers
from headcount.report.chart.figure import Room, drawing, figure
from headcount.report.chart.hover import strips
from headcount.report.chart.label import Name, names
from headcount.report.chart.line import through_levels
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import for_times
from headcount.report.chart.tick import time_tick
from headcount.report.content import ReportContent
from headcount.report.html import table
from headcount.report.html.about import marks, said_of, users_scale, valid
from headcount.report.markup import Html, element, joined
from headcount.text import count, duration

LIMITS_SHOWN = 3
"""Limit lines drawn at the most; the table of levels has them all."""

_PERCENTILES = ("p50", "p95", "p99")


def section(content: ReportContent) -> Html | None:
    """Draw it; nothing is drawn where nothing was ever completed."""
    if not any(level.total.response for level in content.levels):
        return None
    note = " Upright bars are 95% confidence intervals of p95."
    told = any(level.total.p95_interval_ms for level in content.levels)
    return table.section(
        "Response time against users",
        figure(
            lambda room: _drawing(content, room), marks(content.levels) + (note if told else "")
        ),
        style="chart",
    )


def limits(content: ReportContent) -> list[tuple[str, float]]:
    """Return the criteria that limit a response time, with limits in ms, the tightest first.

    Those of tasks and of the score limit other times than those that are drawn.
    """
    found = {
        judged.criterion: judged.limit
        for level in content.levels
        for judged in level.criteria
        if judged.unit == "ms" and not _of_tasks(judged.criterion, content)
    }
    return sorted(found.items(), key=lambda item: item[1])[:LIMITS_SHOWN]


def _of_tasks(criterion: str, content: ReportContent) -> bool:
    name, prefixed, _ = criterion.partition(":")
    if not prefixed:
        return criterion.startswith("score<")
    return any(
        name not in {result.name for result in (*level.scenarios, *level.groups)}
        for level in content.levels
    )


def _drawing(content: ReportContent, room: Room) -> Html:
    right = room.width - room.right
    x = users_scale(content, room.left, right)
    top = 64.0
    bottom = top + (300.0 if room.hover else 230.0)
    values = [_value(level, name) for level in content.levels for name in _PERCENTILES]
    scale = for_times([*values, *(limit for _, limit in limits(content))], bottom, top)
    panel = Panel(room.left, top, right, bottom, x, scale)
    heading = "Response time from the due moment"
    return drawing(
        room,
        bottom + 46,
        "Response time percentiles against users",
        _in_words(content),
        axis.upright(panel, time_tick),
        capacity_band([panel], content.verdict.capacity, short=not room.hover),
        element("text", heading, x=panel.left - 52, y=16, class_="title"),
        *(limit_rule(panel, text, limit) for text, limit in limits(content)),
        _lines(content, panel),
        axis.lower(panel, count, room.x_ticks, "Users"),
        strips([panel], [(level.users, said_of(level)) for level in content.levels])
        if room.hover
        else None,
    )


def _lines(content: ReportContent, panel: Panel) -> Html:
    parts: list[Html | None] = []
    ends: list[Name] = []
    for name in _PERCENTILES:
        measured = [(level.users, _value(level, name)) for level in valid(content.levels)]
        parts.append(through_levels(panel, measured, name))
        if name == "p95":
            spread = [(level.users, level.total.p95_interval_ms) for level in content.levels]
            parts.append(whiskers(panel, spread, name))
        parts.append(
            dots(
                panel,
                [(level.users, _value(level, name), level.outcome) for level in content.levels],
                name,
            )
        )
        last = max(((x, y) for x, y in measured if y is not None), default=None)
        if last is not None:
            ends.append(Name(name, panel.y.at(last[1]), name))
    return joined([*parts, names(panel.right + 8, ends, panel.top, panel.bottom)])


def limit_rule(panel: Panel, criterion: str, limit_ms: float) -> Html:
    """Draw the limit that a criterion sets, with the criterion beside it."""
    y = panel.y.at(limit_ms)
    rule = f"M{panel.left:.1f} {y:.1f}H{panel.right:.1f}"
    return joined(
        [
            element("path", d=rule, class_="line limit"),
            element(
                "text",
                f"limit {_cut(criterion, int((panel.right - panel.left) / 10))}",
                x=panel.left + 8,
                y=y - 7 if y > panel.top + 20 else y + 16,
                class_="tag limit",
            ),
        ]
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _value(level: LevelResult, name: str) -> float | None:
    times: Times | None = level.total.response
    if times is None:
        return None
    return {"p50": times.p50_ms, "p95": times.p95_ms, "p99": times.p99_ms}[name]


def _in_words(content: ReportContent) -> str:
    measured = [level for level in content.levels if level.total.response]
    last = max(measured, key=lambda level: level.users)
    first = min(measured, key=lambda level: level.users)
    return (
        f"The 95th percentile goes from {duration(_value(first, 'p95'))} at {count(first.users)} "
        f"users to {duration(_value(last, 'p95'))} at {count(last.users)} users. All figures are "
        f"in the table of levels."
    )
