"""The chart of every capacity report: throughput, overload and CPU of the server against users."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.bundle.level import LevelResult
from headcount.report.chart import axis
from headcount.report.chart.band import capacity_band, saturation_rule
from headcount.report.chart.dots import dots
from headcount.report.chart.figure import Room, drawing, figure
from headcount.report.chart.hover import strips
from headcount.report.chart.line import through_levels
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, Scale, from_zero
from headcount.report.chart.tick import percent_tick, rate_tick
from headcount.report.content import ReportContent
from headcount.report.html import table
from headcount.report.html.about import behind, marks, said_of, users_scale, valid
from headcount.report.markup import Html, element, joined
from headcount.report.resources import CPU
from headcount.report.selection import counter_mean
from headcount.text import count, significant

LEAST_OVERLOAD = 0.1
"""The scale of overload goes at least so far: on a finer one the chance of single scenarios would
look like a rise."""


@dataclass(frozen=True, slots=True)
class _Share:
    """A share drawn in a panel of its own, below the throughput."""

    title: str
    style: str
    value: Callable[[LevelResult], float | None]
    scale: Callable[[Sequence[float], float, float], Scale]


_SHARES = (
    _Share(
        "Overload: late, slow or failed",
        "overload",
        lambda level: level.total.overload,
        lambda values, start, end: from_zero([LEAST_OVERLOAD, *values], start, end, most=1),
    ),
    _Share(
        "CPU of the server",
        "cpu",
        lambda level: counter_mean(level, CPU),
        lambda _values, start, end: Linear(0, 1, start, end),
    ),
)


def section(content: ReportContent) -> Html | None:
    """Draw it; nothing is drawn of a run without levels."""
    if not content.levels:
        return None
    return table.section(
        _title(content),
        figure(lambda room: _drawing(content, room), marks(content.levels)),
        style="chart",
    )


def _title(content: ReportContent) -> str:
    sampled = any(counter_mean(level, CPU) is not None for level in content.levels)
    drawn = "Throughput, overload and CPU" if sampled else "Throughput and overload"
    return f"{drawn} against users"


def _drawing(content: ReportContent, room: Room) -> Html:
    levels = content.levels
    right = room.width - room.right
    x = users_scale(content, room.left, right)
    top, height = 64.0, 220.0 if room.hover else 180.0
    bottom = top + height
    rates = [level.achieved_per_s for level in levels]
    offered = [level.offered_per_s for level in valid(levels)]
    upper = Panel(room.left, top, right, bottom, x, from_zero([*rates, *offered], bottom, top))
    panels, drawn = [upper], [axis.upright(upper, rate_tick)]
    lines = [_rates(content, upper)]
    for share in _SHARES:
        values = [value for level in levels if (value := share.value(level)) is not None]
        if not values:
            continue
        start = panels[-1].bottom + 50
        end = start + (100 if room.hover else 84)
        panel = Panel(room.left, start, right, end, x, share.scale(values, end, start))
        panels.append(panel)
        drawn.append(axis.upright(panel, percent_tick, 2))
        lines.append(_line(content, panel, share))
    parts = [
        *drawn,
        capacity_band(panels, content.verdict.capacity, short=not room.hover),
        saturation_rule(panels, content.verdict.plateaus),
        *lines,
        axis.lower(panels[-1], count, room.x_ticks, "Users"),
        strips(panels, [(level.users, said_of(level)) for level in levels]) if room.hover else None,
    ]
    return drawing(
        room,
        panels[-1].bottom + 46,
        _title(content),
        _in_words(content),
        *parts,
    )


def _rates(content: ReportContent, panel: Panel) -> Html:
    levels = valid(content.levels)
    offered = [(level.users, level.offered_per_s) for level in levels]
    due = through_levels(panel, offered, "offered") if any(map(behind, levels)) else None
    title = "Scenarios per second" + (" (dashed: fell due)" if due else "")
    return joined(
        [
            element("text", title, x=panel.left - 52, y=16, class_="title throughput"),
            due,
            through_levels(
                panel, [(level.users, level.achieved_per_s) for level in levels], "throughput"
            ),
            dots(
                panel,
                [(level.users, level.achieved_per_s, level.outcome) for level in content.levels],
                "throughput",
            ),
        ]
    )


def _line(content: ReportContent, panel: Panel, share: _Share) -> Html:
    place = {"x": panel.left - 52, "y": panel.top - 18}
    values = [(level.users, share.value(level)) for level in valid(content.levels)]
    marked = [(level.users, share.value(level), level.outcome) for level in content.levels]
    return joined(
        [
            element("text", share.title, class_=f"title {share.style}", **place),
            through_levels(panel, values, share.style),
            dots(panel, marked, share.style),
        ]
    )


def _in_words(content: ReportContent) -> str:
    levels = sorted(content.levels, key=lambda level: level.users)
    first, last = levels[0], levels[-1]
    return (
        f"{len(levels)} levels from {count(first.users)} users with "
        f"{significant(first.achieved_per_s)} scenarios per second to {count(last.users)} users "
        f"with {significant(last.achieved_per_s)}. All figures are in the table of levels."
    )
