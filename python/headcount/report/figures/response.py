"""Response-time percentiles against users as bands, with the limit that decides."""

from dataclasses import replace
from functools import partial

from headcount.bundle.level import LevelResult
from headcount.report.chart import axis
from headcount.report.chart.band import capacity_band
from headcount.report.chart.dots import dots, whiskers
from headcount.report.chart.figure import NARROW, WIDE, Room, drawing
from headcount.report.chart.hover import strips
from headcount.report.chart.label import Name, names
from headcount.report.chart.limit import limit_rule
from headcount.report.chart.line import Value, between, through_levels
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Log, for_times
from headcount.report.chart.tick import time_tick
from headcount.report.figures import against_users
from headcount.report.figures.figure_types import Figure, Run, Table
from headcount.report.figures.levels import level_text, marks, users_scale, valid
from headcount.report.figures.plot import Axis, Plot, Rule
from headcount.report.markup import Html, element, joined
from headcount.report.selection import by_users
from headcount.text import DASH, count, duration, interval, plural

LIMITS_SHOWN = 3
"""Most limit lines drawn; the table of levels has all."""
TITLE = "Response time against users"
HEADING = "Response time from the due moment"
PERCENTILES = ("p50", "p95", "p99")


def figure(run: Run) -> Figure | None:
    """Draw it; None if no scenario was completed."""
    if not any(level.total.response for level in run.levels):
        return None
    has_intervals = any(level.total.p95_interval_ms for level in run.levels)
    note = " Shaded: from the median to p95, and lighter from there to p99."
    bars = " Vertical bars are 95% confidence intervals of p95." if has_intervals else ""
    alt = _in_words(run)
    return Figure(
        name="response",
        title=TITLE,
        alt=alt,
        caption=marks(run.levels) + note + bars,
        svg=_drawing(run, WIDE, alt),
        narrow=_drawing(run, NARROW, alt),
        table=_table(run),
        plot=_plot(run),
    )


def limits(run: Run) -> list[tuple[str, float]]:
    """Return the criteria that limit a response time, with limits in ms, the tightest first.

    Criteria of tasks and of the score are left out: they limit other times than those drawn.
    """
    found = {
        judged.criterion: judged.limit
        for level in run.levels
        for judged in level.criteria
        if judged.unit == "ms" and not _of_tasks(judged.criterion, run)
    }
    return sorted(found.items(), key=lambda item: item[1])[:LIMITS_SHOWN]


def _of_tasks(criterion: str, run: Run) -> bool:
    name, prefixed, _ = criterion.partition(":")
    if not prefixed:
        return criterion.startswith("score<")
    return any(
        name not in {result.name for result in (*level.scenarios, *level.groups)}
        for level in run.levels
    )


def _panel(run: Run, room: Room) -> Panel:
    right = room.width - room.right
    top = 64.0
    bottom = top + (300.0 if room.hover else 230.0)
    values = [_value(level, name) for level in run.levels for name in PERCENTILES]
    scale = for_times([*values, *(limit for _, limit in limits(run))], bottom, top)
    return Panel(room.left, top, right, bottom, users_scale(run, room.left, right), scale)


def _drawing(run: Run, room: Room, alt: str) -> Html:
    panel = _panel(run, room)
    capacity = run.verdict.capacity if run.verdict is not None else None
    return drawing(
        room,
        panel.bottom + 46,
        "Response time percentiles against users",
        alt,
        axis.upright(panel, time_tick),
        capacity_band([panel], capacity, short=not room.hover),
        element("text", HEADING, x=panel.left - 52, y=16, class_="title"),
        between(panel, _values(run, "p99"), _values(run, "p95"), "p95 outer"),
        between(panel, _values(run, "p95"), _values(run, "p50"), "p95"),
        _lines(run, panel),
        *(limit_rule(panel, text, limit) for text, limit in limits(run)),
        axis.lower(panel, count, room.x_ticks, "Users"),
        strips([panel], [(level.users, level_text(level)) for level in run.levels])
        if room.hover
        else None,
    )


def _values(run: Run, name: str) -> list[Value]:
    return [(level.users, _value(level, name)) for level in valid(run.levels)]


def _lines(run: Run, panel: Panel) -> Html:
    parts: list[Html | None] = []
    ends: list[Name] = []
    for name in PERCENTILES:
        measured = _values(run, name)
        parts.append(through_levels(panel, measured, name))
        if name == "p95":
            spread = [(level.users, level.total.p95_interval_ms) for level in run.levels]
            parts.append(whiskers(panel, spread, name))
        parts.append(
            dots(
                panel,
                [(level.users, _value(level, name), level.outcome) for level in run.levels],
                name,
            )
        )
        last = max(((x, y) for x, y in measured if y is not None), default=None)
        if last is not None:
            ends.append(Name(name, panel.y.at(last[1]), name))
    return joined([*parts, names(panel.right + 8, ends, panel.top, panel.bottom)])


def _value(level: LevelResult, name: str) -> float | None:
    times = level.total.response
    if times is None:
        return None
    return {"p50": times.p50_ms, "p95": times.p95_ms, "p99": times.p99_ms}[name]


def _in_words(run: Run) -> str:
    measured = [level for level in run.levels if level.total.response]
    last = max(measured, key=lambda level: level.users)
    first = min(measured, key=lambda level: level.users)
    held = "".join(f" The criterion {text} limits it." for text, _ in limits(run))
    return (
        f"The 95th percentile goes from {duration(_value(first, 'p95'))} at "
        f"{plural('user', first.users)} to {duration(_value(last, 'p95'))} at "
        f"{plural('user', last.users)}.{held}"
    )


def _table(run: Run) -> Table:
    rows = []
    for level in by_users(run.levels):
        bounds = level.total.p95_interval_ms
        spread = interval(*bounds, duration) if bounds else DASH
        times = [duration(_value(level, name)) for name in PERCENTILES]
        rows.append([count(level.users), level.outcome, *times, spread])
    columns = ("Users", "Outcome", *PERCENTILES, "p95, 95% interval")
    return Table(columns, rows)


def _plot(run: Run) -> Plot:
    intervals = [
        level.total.p95_interval_ms for level in by_users(run.levels) if level.total.response
    ]
    series = []
    for name in reversed(PERCENTILES):
        for one in against_users.level_series(run, name, name, partial(_value, name=name)):
            shown = intervals if name == "p95" and one.draw == "marks" else ()
            series.append(replace(one, intervals=shown))
    scale = _panel(run, WIDE).y
    return Plot(
        x=Axis("Users", "count"),
        left=Axis("Response time", "ms", log=isinstance(scale, Log)),
        series=series,
        rules=[
            *against_users.capacity_rules(run),
            *(Rule(f"limit {text}", "limit", limit) for text, limit in limits(run)),
        ],
        bands=against_users.capacity_bands(run),
    )
