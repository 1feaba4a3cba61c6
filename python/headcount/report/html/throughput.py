"""The chart of every capacity report: throughput and CPU of the server against users."""

from headcount.report.chart import axis
from headcount.report.chart.band import capacity_band
from headcount.report.chart.dots import dots
from headcount.report.chart.figure import Room, drawing, figure
from headcount.report.chart.hover import strips
from headcount.report.chart.line import through_levels
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, from_zero
from headcount.report.chart.tick import percent_tick, rate_tick
from headcount.report.content import ReportContent
from headcount.report.html import table
from headcount.report.html.about import marks, said_of, users_scale, valid
from headcount.report.markup import Html, element, joined
from headcount.report.selection import counter_mean
from headcount.text import count, significant

CPU = "system.cpu.utilization"

OFFERED_SHOWN_FROM = 0.02
"""The offered rate gets a line of its own where it exceeds the achieved by more than this share:
below, the two lines are one on the page."""


def section(content: ReportContent) -> Html | None:
    """Draw it; nothing is drawn of a run without levels."""
    if not content.levels:
        return None
    return table.section(
        "Throughput and CPU against users",
        figure(lambda room: _drawing(content, room), marks(content.levels)),
        style="chart",
    )


def _drawing(content: ReportContent, room: Room) -> Html:
    levels = content.levels
    cpu = [(level.users, counter_mean(level, CPU)) for level in levels]
    sampled = any(value is not None for _, value in cpu)
    right = room.width - room.right
    x = users_scale(content, room.left, right)
    top, height = 64.0, 220.0 if room.hover else 180.0
    bottom = top + height
    rates = [level.achieved_per_s for level in levels]
    offered = [level.offered_per_s for level in valid(levels)]
    upper = Panel(room.left, top, right, bottom, x, from_zero([*rates, *offered], bottom, top))
    panels = [upper]
    if sampled:
        start = bottom + 50
        end = start + (120 if room.hover else 100)
        panels.append(Panel(room.left, start, right, end, x, Linear(0, 1, end, start)))
    parts = [
        axis.upright(upper, rate_tick),
        axis.upright(panels[1], percent_tick, 2) if sampled else None,
        capacity_band(panels, content.verdict.capacity, short=not room.hover),
        _rates(content, upper),
        _cpu(content, panels[1]) if sampled else None,
        axis.lower(panels[-1], count, room.x_ticks, "Users"),
        strips(panels, [(level.users, said_of(level)) for level in levels]) if room.hover else None,
    ]
    return drawing(
        room,
        panels[-1].bottom + 46,
        "Throughput and CPU of the server against users",
        _in_words(content),
        *parts,
    )


def _rates(content: ReportContent, panel: Panel) -> Html:
    levels = valid(content.levels)
    apart = any(
        level.offered_per_s > level.achieved_per_s * (1 + OFFERED_SHOWN_FROM) for level in levels
    )
    offered = [(level.users, level.offered_per_s) for level in levels]
    due = through_levels(panel, offered, "offered") if apart else None
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


def _cpu(content: ReportContent, panel: Panel) -> Html:
    return joined(
        [
            element(
                "text",
                "CPU of the server",
                x=panel.left - 52,
                y=panel.top - 18,
                class_="title cpu",
            ),
            through_levels(
                panel,
                [(level.users, counter_mean(level, CPU)) for level in valid(content.levels)],
                "cpu",
            ),
            dots(
                panel,
                [
                    (level.users, counter_mean(level, CPU), level.outcome)
                    for level in content.levels
                ],
                "cpu",
            ),
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
