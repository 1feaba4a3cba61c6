"""Response times over the run as a heat map: stalls, warm-up and drift, seen at a glance."""

from collections.abc import Sequence
from itertools import groupby

from headcount.analyse.heat import Column, Heat
from headcount.report.chart import axis
from headcount.report.chart.figure import NARROW, WIDE, Room, drawing
from headcount.report.chart.line import through_time
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, Log, from_zero
from headcount.report.chart.tick import time_tick
from headcount.report.figures.figure_types import Figure, Table
from headcount.report.markup import Html, element, joined, number
from headcount.text import count, duration, plural, span

TITLE = "Response times over the run"
COLUMNS = 120
"""Columns of the map: as many as are distinguishable on a page's width."""
NARROW_COLUMNS = 60
SHARES = (0.002, 0.01, 0.03, 0.08, 0.18, 0.35)
"""Bounds of the seven shades, in about equal ratios: a tail of one in five hundred must be visible
beside the bulk."""
TABLE_ROWS = 40


def shade(share: float) -> int:
    """Return the shade of a share, from 1; 0 for a share of 0, which is not drawn.

    >>> [shade(share) for share in (0, 0.001, 0.02, 1)]
    [0, 1, 3, 7]
    """
    return 0 if share <= 0 else 1 + sum(share >= bound for bound in SHARES)


def figure(wide: Heat | None, narrow: Heat | None = None) -> Figure | None:
    """Draw a map, and a coarser one for a narrow screen; None without a map."""
    if wide is None or len(wide.columns) < 2:
        return None
    alt = _in_words(wide)
    return Figure(
        name="heat",
        title=TITLE,
        alt=alt,
        caption=(
            "Each column is a stretch of the run, each row a range of response times. The "
            "stronger the colour, the larger the share of scenarios that took this long. Orange: "
            "p95. Below: users."
        ),
        svg=_drawing(wide, WIDE, alt),
        narrow=_drawing(narrow or wide, NARROW, alt),
        table=_table(wide),
    )


def _drawing(heat: Heat, room: Room, alt: str) -> Html:
    right = room.width - 20
    began_s, ends_s = heat.columns[0].from_s, heat.columns[-1].to_s
    x = Linear(0, max(ends_s - began_s, 1.0), room.left, right)
    top = 58.0
    bottom = top + (250.0 if room.hover else 190.0)
    y = Log(heat.edges_ms[0], heat.edges_ms[-1], bottom, top)
    panel = Panel(room.left, top, right, bottom, x, y)
    p95 = [((one.from_s + one.to_s) / 2 - began_s, one.p95_ms) for one in heat.columns]
    users_top = bottom + 44
    users_bottom = users_top + 44
    below = Panel(
        room.left,
        users_top,
        right,
        users_bottom,
        x,
        from_zero([one.users for one in heat.columns], users_bottom, users_top),
    )
    return drawing(
        room,
        users_bottom + 46,
        TITLE,
        alt,
        element("text", "Response time", x=room.left - 52, y=16, class_="title"),
        _legend(right, room),
        _cells(heat, panel, began_s),
        axis.upright(panel, time_tick),
        through_time(panel, p95, "two over"),
        element("text", "Users", x=room.left - 52, y=users_top - 12, class_="title users"),
        axis.upright(below, count, 2),
        through_time(below, _staircase(heat, began_s), "users"),
        axis.lower(below, count, room.x_ticks, "Seconds since the run began"),
        _hover_texts(heat, panel, began_s) if room.hover else None,
    )


def _cells(heat: Heat, panel: Panel, began_s: float) -> Html:
    """All cells of one shade are one path of horizontal strokes, as thick as a row is high.

    Neighbours of one shade are one stroke.
    """
    strokes: dict[int, list[str]] = {}
    for row in range(len(heat.edges_ms) - 1):
        low, high = panel.y.at(heat.edges_ms[row]), panel.y.at(heat.edges_ms[row + 1])
        shaded = ((shade(column.shares[row]), column) for column in heat.columns)
        for found, group in groupby(shaded, key=lambda pair: pair[0]):
            if found:
                columns = [column for _, column in group]
                left = panel.x.at(columns[0].from_s - began_s)
                width = panel.x.at(columns[-1].to_s - began_s) - left
                start = f"M{number(left)} {number((low + high) / 2)}"
                strokes.setdefault(found, []).append(f"{start}h{number(max(width, 0.5))}")
    height = (panel.bottom - panel.top) / (len(heat.edges_ms) - 1) + 0.3
    return joined(
        element("path", d="".join(parts), class_=f"heat heat{found}", stroke_width=height)
        for found, parts in sorted(strokes.items())
    )


def _legend(right: float, room: Room) -> Html:
    """The seven shades with their lower bounds."""
    width = 42.0 if room.hover else 30.0
    left = right - 7 * width
    swatches = [
        element(
            "path",
            d=f"M{number(left + index * width)} 30h{number(width)}",
            class_=f"heat heat{index + 1}",
            stroke_width=12,
        )
        for index in range(7)
    ]
    labels = [
        element("text", f"{bound * 100:g}%", x=left + (index + 1) * width, y=50, class_="mid small")
        for index, bound in enumerate(SHARES)
    ]
    name = element("text", "share of the responses in a column", x=right, y=16, class_="end")
    return joined([name, *swatches, *labels])


def _staircase(heat: Heat, began_s: float) -> list[tuple[float, float | None]]:
    points: list[tuple[float, float | None]] = []
    for column in heat.columns:
        points += [(column.from_s - began_s, column.users), (column.to_s - began_s, column.users)]
    return points


def _hover_texts(heat: Heat, panel: Panel, began_s: float) -> Html:
    """The tooltip of each column."""
    return joined(
        element(
            "g",
            element("title", _hover_text(column, began_s)),
            element(
                "rect",
                x=panel.x.at(column.from_s - began_s),
                y=panel.top,
                width=panel.x.at(column.to_s - began_s) - panel.x.at(column.from_s - began_s),
                height=panel.bottom - panel.top,
            ),
            class_="at",
        )
        for column in heat.columns
    )


def _hover_text(column: Column, began_s: float) -> str:
    return (
        f"{span(column.from_s - began_s)} to {span(column.to_s - began_s)}, {count(column.users)} "
        f"users\np50 {duration(column.p50_ms)}, p95 {duration(column.p95_ms)}, longest "
        f"{duration(column.max_ms)}"
    )


def _in_words(heat: Heat) -> str:
    worst = max(heat.columns, key=lambda column: column.p95_ms)
    began_s = heat.columns[0].from_s
    return (
        f"Response times over {span(heat.columns[-1].to_s - began_s)}. The largest p95 of a "
        f"stretch is {duration(worst.p95_ms)}, {span(worst.from_s - began_s)} after the run began "
        f"at {plural('user', worst.users)}; the longest response took "
        f"{duration(max(column.max_ms for column in heat.columns))}."
    )


def _table(heat: Heat) -> Table:
    began_s = heat.columns[0].from_s
    rows = [
        [
            f"{column.from_s - began_s:.0f}",
            count(column.users),
            count(column.count),
            duration(column.p50_ms),
            duration(column.p95_ms),
            duration(column.max_ms),
        ]
        for column in _picked(heat.columns)
    ]
    columns = ("From second", "Users", "Response times", "p50", "p95", "Longest")
    return Table(columns, rows)


def _picked(columns: Sequence[Column]) -> Sequence[Column]:
    """Columns for a readable table: evenly spaced ones, and the one with the largest p95."""
    every = -(-len(columns) // TABLE_ROWS)
    worst = max(columns, key=lambda column: column.p95_ms)
    return [c for index, c in enumerate(columns) if index % every == 0 or c is worst]
