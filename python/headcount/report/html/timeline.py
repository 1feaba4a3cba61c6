"""One level second by second: whether it was steady, seen at a glance."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.bundle.level import LevelResult
from headcount.report.chart import axis
from headcount.report.chart.figure import Room, drawing, figure
from headcount.report.chart.line import Value, through_time
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, Scale, for_times, from_zero
from headcount.report.chart.tick import percent_tick, rate_tick, time_tick
from headcount.report.content import Point, ReportContent
from headcount.report.html import table
from headcount.report.markup import Html, element, joined
from headcount.report.selection import timeline_level
from headcount.text import count, span

POINT_PX = 2.6
"""Points of a line are no nearer than this: more would not be seen, and the page stays small."""

_ROW_PX, _GAP_PX = 62.0, 34.0


@dataclass(frozen=True, slots=True)
class _Row:
    """One small panel: its name, class, values and scale."""

    title: str
    style: str
    values: Sequence[Value]
    scale: Callable[[Sequence[float | None], float, float], Scale]
    written: Callable[[float], str]


def section(content: ReportContent) -> Html | None:
    """Draw it; nothing is drawn where the series was not kept."""
    level = _level(content)
    if not content.timeline or level is None:
        return None
    return table.section(
        f"The level at {count(level.users)} users, second by second",
        figure(
            lambda room: _drawing(content.timeline, level, room),
            "Only the tinted part is measured; what comes before is ramp-up and settling.",
        ),
        style="chart",
    )


def _level(content: ReportContent) -> LevelResult | None:
    if content.timeline_level is None:
        return timeline_level(content.levels)
    return next((level for level in content.levels if level.index == content.timeline_level), None)


def thinned(points: Sequence[Point], most: int) -> list[Point]:
    """Merge neighbours until there are ``most`` points or fewer.

    Rates and CPU are averaged. Of p95 the largest is kept, since percentiles cannot be averaged
    and a spike must not vanish.
    """
    size = -(-len(points) // most)
    return [_merged(points[start : start + size]) for start in range(0, len(points), size)]


def _merged(points: Sequence[Point]) -> Point:
    p95s = [point.p95_ms for point in points if point.p95_ms is not None]
    cpus = [point.cpu_share for point in points if point.cpu_share is not None]
    return Point(
        t_s=points[0].t_s,
        users=points[-1].users,
        achieved_per_s=sum(point.achieved_per_s for point in points) / len(points),
        p95_ms=max(p95s, default=None),
        cpu_share=sum(cpus) / len(cpus) if cpus else None,
    )


def _rows(points: Sequence[Point]) -> list[_Row]:
    rows = [
        _Row("Users", "users", [(p.t_s, p.users) for p in points], from_zero, count),
        _Row(
            "Scenarios per second",
            "throughput",
            [(p.t_s, p.achieved_per_s) for p in points],
            from_zero,
            rate_tick,
        ),
        _Row("p95 response time", "p95", [(p.t_s, p.p95_ms) for p in points], for_times, time_tick),
        _Row(
            "CPU of the server",
            "cpu",
            [(p.t_s, p.cpu_share) for p in points],
            lambda _values, start, end: Linear(0, 1, start, end),
            percent_tick,
        ),
    ]
    return [row for row in rows if any(value is not None for _, value in row.values)]


def _drawing(all_points: Sequence[Point], level: LevelResult, room: Room) -> Html:
    points = thinned(all_points, int(room.width / POINT_PX))
    right = room.width - 20
    ends_s = max(all_points[-1].t_s, level.ramp_s + level.settle_s + level.steady_s)
    x = Linear(0, max(ends_s, 1), room.left, right)
    top = 30.0
    panels: list[Panel] = []
    parts: list[Html | None] = []
    for row in _rows(points):
        bottom = top + _ROW_PX
        scale = row.scale([value for _, value in row.values], bottom, top)
        panel = Panel(room.left, top, right, bottom, x, scale)
        panels.append(panel)
        parts += [
            axis.upright(panel, row.written, 2),
            element("text", row.title, x=room.left - 52, y=top - 12, class_=f"title {row.style}"),
            through_time(panel, row.values, row.style),
        ]
        top = bottom + _GAP_PX
    return drawing(
        room,
        panels[-1].bottom + 46,
        f"The level at {count(level.users)} users second by second",
        f"Users, throughput, p95 response time and CPU over {span(ends_s)}.",
        _measured(panels, level),
        joined(parts),
        axis.lower(panels[-1], count, room.x_ticks, "Seconds since the level began"),
    )


def _measured(panels: Sequence[Panel], level: LevelResult) -> Html:
    scale = panels[0].x
    start_s = level.ramp_s + level.settle_s
    left, right = scale.at(start_s), scale.at(start_s + level.steady_s)
    return joined(
        element(
            "rect",
            x=left,
            y=panel.top,
            width=right - left,
            height=panel.bottom - panel.top,
            class_="measured",
        )
        for panel in panels
    )
