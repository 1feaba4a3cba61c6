"""Two runs against users, one above the other: throughput, response time, CPU."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.bundle.level import LevelResult
from headcount.report.chart import axis
from headcount.report.chart.dots import dots
from headcount.report.chart.figure import NARROW, WIDE, Room, drawing
from headcount.report.chart.line import through_levels
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, Scale, for_times, from_zero
from headcount.report.chart.tick import percent_tick, rate_tick, time_tick
from headcount.report.figures.figure_types import Figure, Table
from headcount.report.figures.levels import marks, valid
from headcount.report.figures.pair import STYLES, Side, common, users_scale
from headcount.report.figures.throughput import cpu_of
from headcount.report.markup import Html, element, joined
from headcount.text import DASH, count, duration, plural, share, significant

TITLE = "Before and after"
Sides = tuple[Side, Side]


@dataclass(frozen=True, slots=True)
class _Row:
    """One panel: its title, its figure of a level, its scale, and how values are written."""

    title: str
    value: Callable[[LevelResult], float | None]
    scale: Callable[[Sequence[float | None], float, float], Scale]
    written: Callable[[float], str]
    cell_text: Callable[[float | None], str]


def p95_of(level: LevelResult) -> float | None:
    """The 95th percentile of the response times, in ms."""
    return level.total.response.p95_ms if level.total.response else None


_ROWS = (
    _Row(
        "Scenarios per second",
        lambda level: level.achieved_per_s,
        from_zero,
        rate_tick,
        significant,
    ),
    _Row("p95 response time", p95_of, for_times, time_tick, duration),
    _Row(
        "CPU of the server",
        cpu_of,
        lambda _values, start, end: Linear(0, 1, start, end),
        percent_tick,
        share,
    ),
)


def figure(before: Side, after: Side, title: str = TITLE) -> Figure | None:
    """Draw it; None where either side has no level."""
    if not before.run.levels or not after.run.levels:
        return None
    alt = _in_words(before, after)
    both = [*before.run.levels, *after.run.levels]
    return Figure(
        name="before-after",
        title=title,
        alt=alt,
        caption=f"{alt} Round: {before.name}; square: {after.name}. {marks(both)}",
        svg=_drawing((before, after), WIDE, title, alt),
        narrow=_drawing((before, after), NARROW, title, alt),
        table=_table(before, after),
    )


def capacity_of(side: Side) -> int | None:
    """The users that a side holds; None where no capacity was found."""
    verdict = side.run.verdict
    return verdict.capacity.users if verdict is not None and verdict.capacity else None


def _rows(sides: Sides) -> list[_Row]:
    return [
        row
        for row in _ROWS
        if all(any(row.value(level) is not None for level in s.run.levels) for s in sides)
    ]


def _drawing(sides: Sides, room: Room, title: str, alt: str) -> Html:
    right = room.width - 18.0
    x = users_scale(sides, room.left, right)
    parts: list[Html | None] = [
        joined(
            [
                axis.key(room.left - 52, 14 + 20 * index, style, square=index == 1),
                element(
                    "text", side.name, x=room.left - 26, y=18 + 20 * index, class_=f"tag {style}"
                ),
            ]
        )
        for index, (side, style) in enumerate(zip(sides, STYLES, strict=True))
    ]
    top = 92.0
    panels: list[Panel] = []
    for row in _rows(sides):
        bottom = top + (120.0 if room.hover else 100.0)
        values = [row.value(level) for side in sides for level in side.run.levels]
        panel = Panel(room.left, top, right, bottom, x, row.scale(values, bottom, top))
        panels.append(panel)
        parts += [
            axis.upright(panel, row.written, 3),
            element("text", row.title, x=room.left - 52, y=top - 14, class_="title"),
            *(_line(panel, row, side, index) for index, side in enumerate(sides)),
        ]
        top = bottom + 48
    return drawing(
        room,
        panels[-1].bottom + 46,
        title,
        alt,
        *(_capacity(panels, side, index) for index, side in enumerate(sides)),
        *parts,
        axis.lower(panels[-1], count, room.x_ticks, "Users"),
    )


def _line(panel: Panel, row: _Row, side: Side, index: int) -> Html:
    levels = side.run.levels
    through = [(level.users, row.value(level)) for level in valid(levels)]
    marked = [(level.users, row.value(level), level.outcome) for level in levels]
    return joined(
        [
            through_levels(panel, through, STYLES[index]),
            dots(panel, marked, STYLES[index], square=index == 1),
        ]
    )


def _capacity(panels: Sequence[Panel], side: Side, index: int) -> Html | None:
    """A line at the capacity of a side, through all panels, in its colour."""
    users = capacity_of(side)
    if users is None:
        return None
    first, last = panels[0], panels[-1]
    x = first.x.at(users)
    return element(
        "path",
        d=f"M{x:.1f} {first.top - 4:.1f}V{last.bottom:.1f}",
        class_=f"line rule {STYLES[index]}",
    )


def _in_words(before: Side, after: Side) -> str:
    one, two = capacity_of(before), capacity_of(after)
    if one is not None and two is not None:
        return f"{before.name} holds {plural('user', one)}, {after.name} {count(two)}."
    pairs = common(before, after)
    if not pairs:
        return f"{before.name} and {after.name} against users."
    first, second = pairs[-1]
    return (
        f"At {plural('user', first.users)} {before.name} has a p95 of {duration(p95_of(first))} "
        f"and {after.name} {duration(p95_of(second))}."
    )


def _table(before: Side, after: Side) -> Table:
    rows = []
    users = sorted({level.users for side in (before, after) for level in valid(side.run.levels)})
    for number in users:
        cells = [count(number)]
        for row in _ROWS:
            for side in (before, after):
                found = [one for one in valid(side.run.levels) if one.users == number]
                cells.append(row.cell_text(row.value(found[-1])) if found else DASH)
        rows.append(cells)
    columns = ["Users", *(f"{s.name}, {row.title}" for row in _ROWS for s in (before, after))]
    return Table(columns, rows)
