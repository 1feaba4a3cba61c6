"""Axes: ticks, labels and the grid."""

from collections.abc import Callable

from headcount.report.chart.panel import Panel
from headcount.report.markup import Html, element, joined, number

LINE_PX = 34.0
"""The least distance of two labels of the upright axis."""


def upright(panel: Panel, written: Callable[[float], str], most: int | None = None) -> Html:
    """Draw the left axis: a grid line and a label at each tick.

    Args:
        panel: Where.
        written: How a value is written.
        most: The most ticks; None for as many as the height holds.

    """
    ticks = panel.y.ticks(most or max(2, int((panel.bottom - panel.top) / LINE_PX)))
    grid = "".join(
        f"M{number(panel.left)} {_crisp(panel.y.at(tick))}H{number(panel.right)}" for tick in ticks
    )
    labels = [
        element("text", written(tick), x=panel.left - 8, y=panel.y.at(tick) + 4, class_="end")
        for tick in ticks
    ]
    return joined([element("path", d=grid, class_="grid"), *labels])


def lower(
    panel: Panel, written: Callable[[float], str], most: int, title: str | None = None
) -> Html:
    """Draw the lower axis with its title; labels at the edges stay inside."""
    ticks = panel.x.ticks(most)
    base = f"M{number(panel.left)} {_crisp(panel.bottom)}H{number(panel.right)}"
    marks = "".join(f"M{_crisp(panel.x.at(tick))} {_crisp(panel.bottom)}v5" for tick in ticks)
    labels = [
        element("text", written(tick), x=panel.x.at(tick), y=panel.bottom + 19, class_="mid")
        for tick in ticks
    ]
    name = element(
        "text", title, x=(panel.left + panel.right) / 2, y=panel.bottom + 38, class_="mid name"
    )
    return joined(
        [element("path", d=base + marks, class_="axis"), *labels, name if title else None]
    )


def _crisp(value: float) -> str:
    """Put a line of one pixel on a pixel, not between two."""
    return f"{int(value) + 0.5}"
