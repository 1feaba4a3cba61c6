"""Lines through levels and through seconds."""

import statistics
from collections.abc import Sequence

from headcount.report.chart.panel import Panel
from headcount.report.markup import Html, element, number

NEAR_PX = 9.0
"""Levels closer than this form one knot of the line: a search runs many around the capacity, and
joining them all would draw their noise as a zigzag."""

Value = tuple[float, float | None]
"""A place on the x axis and the value there; None without one."""


def through_levels(panel: Panel, values: Sequence[Value], style: str) -> Html | None:
    """Draw a line through the medians of levels that lie close together.

    Args:
        panel: Where.
        values: In any order; those without a value are left out.
        style: Class of the line.

    """
    middles = knots(panel, values)
    if len(middles) < 2:
        return None
    return element("path", d=_joined(panel, middles), class_=f"line {style}")


def medians(values: Sequence[Value]) -> list[tuple[float, float]]:
    """The median at each place, from the left: the points of a line.

    Repeated levels at one number of users only get marks; joining them would draw a zigzag.

    >>> medians([(20, 5), (10, 1), (20, 7), (30, None), (20, 6)])
    [(10, 1), (20, 6)]
    """
    at: dict[float, list[float]] = {}
    for x, y in values:
        if y is not None:
            at.setdefault(x, []).append(y)
    return [(x, statistics.median(at[x])) for x in sorted(at)]


def knots(panel: Panel, values: Sequence[Value]) -> list[tuple[float, float]]:
    """Return the medians of levels that lie close together, from the left."""
    found: list[list[tuple[float, float]]] = []
    for x, y in sorted((x, y) for x, y in values if y is not None):
        if found and panel.x.at(x) - panel.x.at(found[-1][0][0]) < NEAR_PX:
            found[-1].append((x, y))
        else:
            found.append([(x, y)])
    return [
        (statistics.median(x for x, _ in knot), statistics.median(y for _, y in knot))
        for knot in found
    ]


def between(
    panel: Panel, upper: Sequence[Value], lower: Sequence[Value], style: str
) -> Html | None:
    """Fill the room between two lines through the same levels.

    Args:
        panel: Where.
        upper: The upper line's values.
        lower: The lower line's, at the same places.
        style: Class of the area.

    """
    above, below = knots(panel, upper), knots(panel, lower)
    if len(above) < 2 or len(below) < 2:
        return None
    return element(
        "path", d=_joined(panel, [*above, *reversed(below)]) + "Z", class_=f"area {style}"
    )


def through_time(panel: Panel, values: Sequence[Value], style: str) -> Html | None:
    """Draw a line through a series in order, with a gap where a value is missing."""
    runs: list[list[tuple[float, float]]] = [[]]
    for x, y in values:
        if y is None:
            runs.append([])
        else:
            runs[-1].append((x, y))
    # A lone point between two gaps needs some length to be visible.
    data = "".join(_joined(panel, run) + ("h.1" if len(run) == 1 else "") for run in runs if run)
    return element("path", d=data, class_=f"line {style}") if data else None


def _joined(panel: Panel, points: Sequence[tuple[float, float]]) -> str:
    places = [f"{number(panel.x.at(x))} {number(panel.y.at(y))}" for x, y in points]
    return "M" + "L".join(places)
