"""One level as time passed: whether it was steady, seen at a glance."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from headcount.bundle.level import LevelResult
from headcount.report.chart import axis
from headcount.report.chart.figure import NARROW, WIDE, Room, drawing
from headcount.report.chart.line import Value, through_time
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, Log, Scale, for_times, from_zero
from headcount.report.chart.tick import percent_tick, rate_tick, time_tick
from headcount.report.figures.figure_types import Figure, Table
from headcount.report.figures.plot import Axis, Band, Plot, Series, Unit
from headcount.report.markup import Html, element, joined
from headcount.text import count, duration, plural, share, significant, span

POINT_PX = 2.6
"""Least distance between points of a line: more would not be visible, and the page stays small."""
BELOW = "Seconds since the level began"
TABLE_ROWS = 40

_ROW_PX, _GAP_PX = 62.0, 34.0


@dataclass(frozen=True, slots=True)
class Point:
    """One second of a level, or a stretch of a long one.

    Attributes:
        t_s: Seconds since the level began, ramp included.
        users: Users connected.
        achieved_per_s: Scenarios completed per second.
        p95_ms: 95th percentile of the response times that ended in this second, or the mean of
            those of its seconds; None if none did.
        cpu_share: CPU of the system under test, from 0 to 1; None if not sampled.

    """

    t_s: float
    users: int
    achieved_per_s: float
    p95_ms: float | None
    cpu_share: float | None


@dataclass(frozen=True, slots=True)
class _Row:
    """One small panel: its name, class, unit, values and scale."""

    title: str
    style: str
    unit: Unit
    values: Sequence[Value]
    scale: Callable[[Sequence[float | None], float, float], Scale]
    written: Callable[[float], str]


def figure(points: Sequence[Point], level: LevelResult | None) -> Figure | None:
    """Draw it; None if the series was not kept."""
    if not points or level is None:
        return None
    title = f"The level at {plural('user', level.users)}, second by second"
    caption = "Only the tinted part is measured; before it are the ramp and settling."
    if level.stretch_s > 1:
        title = f"The level at {plural('user', level.users)} over time"
        caption += f" There, a point is the mean of the seconds in {span(level.stretch_s)}."
    alt = f"Users, throughput, p95 response time and CPU over {span(_ends_s(points, level))}."
    return Figure(
        name="timeline",
        title=title,
        alt=alt,
        caption=caption,
        svg=_drawing(points, level, WIDE, alt),
        narrow=_drawing(points, level, NARROW, alt),
        table=_table(points),
        plot=_plot(points, level),
    )


def _ends_s(points: Sequence[Point], level: LevelResult) -> float:
    return max(points[-1].t_s, level.ramp_s + level.settle_s + level.steady_s, 1.0)


def downsample(points: Sequence[Point], most: int) -> list[Point]:
    """Merge neighbours until there are ``most`` points or fewer.

    Rates and CPU are averaged. For p95 the largest is kept, since percentiles cannot be averaged
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
        _Row("Users", "users", "count", [(p.t_s, p.users) for p in points], from_zero, count),
        _Row(
            "Scenarios per second",
            "throughput",
            "rate",
            [(p.t_s, p.achieved_per_s) for p in points],
            from_zero,
            rate_tick,
        ),
        _Row(
            "p95 response time",
            "p95",
            "ms",
            [(p.t_s, p.p95_ms) for p in points],
            for_times,
            time_tick,
        ),
        _Row(
            "CPU of the server",
            "cpu",
            "share",
            [(p.t_s, p.cpu_share) for p in points],
            lambda _values, start, end: Linear(0, 1, start, end),
            percent_tick,
        ),
    ]
    return [row for row in rows if any(value is not None for _, value in row.values)]


def _drawing(all_points: Sequence[Point], level: LevelResult, room: Room, alt: str) -> Html:
    points = downsample(all_points, int(room.width / POINT_PX))
    right = room.width - 20
    x = Linear(0, _ends_s(all_points, level), room.left, right)
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
        f"The level at {plural('user', level.users)} second by second",
        alt,
        _measured(panels, level),
        joined(parts),
        axis.lower(panels[-1], count, room.x_ticks, BELOW),
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


def _table(points: Sequence[Point]) -> Table:
    rows = [
        [
            f"{point.t_s:.0f}",
            count(point.users),
            significant(point.achieved_per_s),
            duration(point.p95_ms),
            share(point.cpu_share),
        ]
        for point in downsample(points, TABLE_ROWS)
    ]
    return Table((BELOW, "Users", "Scenarios/s", "p95", "CPU of the server"), rows)


def _plot(all_points: Sequence[Point], level: LevelResult) -> Plot:
    points = downsample(all_points, int(WIDE.width / POINT_PX))
    start_s = level.ramp_s + level.settle_s
    measured = [Band("accent", start_s, start_s + level.steady_s)]
    ends_s = _ends_s(all_points, level)
    panels = [
        Plot(
            x=Axis(BELOW, "s", most=ends_s),
            left=Axis(
                row.title,
                row.unit,
                log=isinstance(row.scale([value for _, value in row.values], 0, 1), Log),
                most=1.0 if row.unit == "share" else None,
            ),
            series=[
                Series(
                    row.title,
                    row.style,
                    [(x, value) for x, value in row.values if value is not None],
                )
            ],
            bands=measured,
            height=112,
        )
        for row in _rows(points)
    ]
    return replace(panels[0], below=panels[1:])
