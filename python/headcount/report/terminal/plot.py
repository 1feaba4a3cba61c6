"""A small chart of characters: an area under the values of the levels."""

import bisect
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.report.chart.scale import Scale
from headcount.report.terminal.glyphs import Glyphs
from headcount.text import count, plural

HEIGHT_ROWS = 7


@dataclass(frozen=True, slots=True)
class Plot:
    """What to draw.

    Attributes:
        title: What the values are.
        values: Users and the value there, in any order; users may repeat.
        scale: Builds the scale of values from zero to a number of parts of a cell.
        written: Formats a value of the axis.
        users: Largest number of users of the axis.
        capacity: Users to point at; None for nothing.

    """

    title: str
    values: Sequence[tuple[int, float]]
    scale: Callable[[Sequence[float], float, float], Scale]
    written: Callable[[float], str]
    users: int
    capacity: int | None


def draw(plot: Plot, width: int, signs: Glyphs) -> list[str]:
    """Draw a chart as lines no wider than ``width``; no lines without values.

    The area between two levels is interpolated.
    """
    knots = _knots(plot.values)
    if not knots:
        return []
    parts = len(signs.fills) - 1
    scale = plot.scale([y for _, y in knots], 0, HEIGHT_ROWS * parts)
    ticks = [tick for tick in scale.ticks(3) if scale.at(tick) > 0]
    at_row = {min(int(scale.at(t) / parts), HEIGHT_ROWS - 1): plot.written(t) for t in ticks}
    margin = max(len(text) for text in ("0", *at_row.values())) + 1
    columns = max(width - margin - 1, 8)
    heights = [_height(knots, column, columns, plot.users, scale) for column in range(columns)]
    lines = [plot.title[:width]]
    for row in range(HEIGHT_ROWS - 1, -1, -1):
        cells = "".join(signs.fills[min(max(height - row * parts, 0), parts)] for height in heights)
        label = at_row.get(row, "")
        lines.append(f"{label:>{margin - 1}} {signs.upright}{cells}".rstrip())
    lines.append(" " * margin + signs.corner + signs.level * columns)
    lines.append(" " * (margin + 1) + _below(plot, columns, signs.mark))
    return lines


def _knots(values: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Return one value for each number of users: the median of its levels."""
    found: dict[int, list[float]] = {}
    for users, value in values:
        found.setdefault(users, []).append(value)
    return [(users, statistics.median(found[users])) for users in sorted(found)]


def _height(
    knots: Sequence[tuple[int, float]], column: int, columns: int, users: int, scale: Scale
) -> int:
    """Return the height of a column in parts of a cell; at least 1 if the value is above zero."""
    start, end = column * users / columns, (column + 1) * users / columns
    inside = [y for x, y in knots if start < x <= end]
    if inside:
        value = statistics.median(inside)
    else:
        after = bisect.bisect(knots, (start, float("inf")))
        if after in (0, len(knots)):
            return 0
        (x0, y0), (x1, y1) = knots[after - 1], knots[after]
        value = y0 + (y1 - y0) * ((start + end) / 2 - x0) / (x1 - x0)
    height = round(scale.at(value))
    return max(height, 1) if value > 0 else 0


def _below(plot: Plot, columns: int, mark: str) -> str:
    """Write the ends of the axis of users, and the capacity at its place."""
    end = plural("user", plot.users)
    line = list("0" + " " * (columns - 1))
    line[max(columns - len(end), 2) :] = end
    if plot.capacity is not None:
        place = min(int(plot.capacity / plot.users * columns), columns - 1)
        text = f"{mark} {count(plot.capacity)}"
        before = f"{count(plot.capacity)} {mark}"
        if place + len(text) < columns - len(end):
            line[place : place + len(text)] = text
        elif place - len(before) > 2 and place < columns - len(end) - 1:
            line[place - len(before) + 1 : place + 1] = before
        else:
            line[:] = "0" + f"{before}, to {end}".rjust(columns - 1)
    return "".join(line)[:columns]
