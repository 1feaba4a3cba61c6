"""Axes: ticks, labels and the grid."""

from collections.abc import Callable, Sequence

from headcount.report.chart.dots import SQUARE_PX
from headcount.report.chart.panel import Panel
from headcount.report.markup import Html, element, joined, number

LINE_PX = 34.0
"""The least distance between two labels of the upright axis."""


def upright(
    panel: Panel,
    written: Callable[[float], str],
    most: int | None = None,
    *,
    style: str = "",
    at: Sequence[float] | None = None,
) -> Html:
    """Draw the left axis: a grid line and a label at each tick.

    Args:
        panel: Where.
        written: Formats a value.
        most: The most ticks; None for as many as fit the height.
        style: Class that colours the labels if there is another axis on the right.
        at: The ticks themselves, if another axis has to share them.

    """
    room = max(2, int((panel.bottom - panel.top) / LINE_PX))
    ticks = panel.y.ticks(most or room) if at is None else at
    grid = "".join(
        f"M{number(panel.left)} {_crisp(panel.y.at(tick))}H{number(panel.right)}" for tick in ticks
    )
    labels = [
        element(
            "text",
            written(tick),
            x=panel.left - 8,
            y=panel.y.at(tick) + 4,
            class_=f"end {style}".rstrip(),
        )
        for tick in ticks
    ]
    return joined([element("path", d=grid, class_="grid"), *labels])


def upright_right(
    panel: Panel, written: Callable[[float], str], at: Sequence[float], style: str
) -> Html:
    """Write the labels of a second axis, on the right, in the colour of its line.

    It has no grid of its own: :func:`headcount.report.chart.scale.shared` gives both axes the same
    number of ticks, so that one grid serves both.
    """
    return joined(
        element("text", written(tick), x=panel.right + 8, y=panel.y.at(tick) + 4, class_=style)
        for tick in at
    )


def key(x: float, y: float, style: str, *, square: bool = False, marked: bool = True) -> Html:
    """Draw a legend key: a piece of the line, with its mark if it has any."""
    form = " square" if square else ""
    colour = style.split(" ", 1)[0]
    side = SQUARE_PX if square else 0.0
    data = f"M{number(x + 9 - side / 2)} {number(y)}h{number(side)}"
    mark = element("path", d=data, class_=f"dot{form} key {colour}")
    return joined(
        [
            element("path", d=f"M{number(x)} {number(y)}h18", class_=f"line key {style}"),
            mark if marked else None,
        ]
    )


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
    """Align a one-pixel line with the pixel grid."""
    return f"{int(value) + 0.5}"
