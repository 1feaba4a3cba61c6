"""A chart of named lines in one panel: what most figures are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.report.chart import axis
from headcount.report.chart.dots import Dot, dots
from headcount.report.chart.figure import Room, drawing
from headcount.report.chart.label import Name, names
from headcount.report.chart.line import through_time
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Scale
from headcount.report.markup import Html, element, joined

LETTER_PX = 7.6
"""Width of a letter in bold 13 px type, a generous mean, so that names are never cut."""
WIDEST_PX = 9.2
"""The same for capitals, to use where the edge would cut a name."""
LEGEND_PX = 20.0
BESIDE_PX = 250.0
"""Names wider than this go above the chart: beside it they would leave it no room."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its name, its class, its points, and how it is drawn.

    Attributes:
        name: Written beside its end, or above the chart on a narrow screen.
        style: Class that colours it; further words make it `dashed` or `faint`.
        points: From the left to the right.
        marks: The marks on it; none for a smooth line.
        square: Whether marks are squares, to distinguish lines without colour.

    """

    name: str
    style: str
    points: Sequence[tuple[float, float]]
    marks: Sequence[Dot] = ()
    square: bool = False

    @property
    def colour(self) -> str:
        """The first of its classes, which colours its name as well."""
        return self.style.split(" ", 1)[0]


@dataclass(frozen=True, slots=True)
class Frame:
    """The axes: their titles, scales, and formats of values."""

    heading: str
    below: str
    x: Callable[[float, float], Scale]
    y: Callable[[float, float], Scale]
    x_written: Callable[[float], str]
    y_written: Callable[[float], str]
    height: float = 290.0


Extra = Callable[[Panel], Html | None]
"""Something else in the panel: a limit, a band, a note."""


def chart(
    room: Room,
    frame: Frame,
    lines: Sequence[Line],
    title: str,
    alt: str,
    behind: Sequence[Extra] = (),
    before: Sequence[Extra] = (),
) -> Html:
    """Draw the lines, with names beside their ends, or above the chart if there is no room.

    Args:
        room: The size.
        frame: The axes.
        lines: What is drawn, the most important last.
        title: What the drawing is called.
        alt: What it shows, in words.
        behind: What is drawn below the lines.
        before: What is drawn above them.

    """
    longest = max((LETTER_PX * len(line.name) for line in lines), default=0.0)
    beside = room.hover and longest <= BESIDE_PX
    margin = max(room.right, 14 + longest) if beside else 18.0
    top = 40.0 if beside else 44.0 + LEGEND_PX * len(lines)
    right = room.width - margin
    bottom = top + (frame.height if room.hover else frame.height * 0.8)
    panel = Panel(room.left, top, right, bottom, frame.x(room.left, right), frame.y(bottom, top))
    return drawing(
        room,
        bottom + 46,
        title,
        alt,
        axis.upright(panel, frame.y_written),
        element("text", frame.heading, x=panel.left - 52, y=16, class_="title"),
        *(extra(panel) for extra in behind),
        *(_line(panel, line) for line in lines),
        _beside(panel, lines) if beside else _above(panel, lines, room),
        *(extra(panel) for extra in before),
        axis.lower(panel, frame.x_written, room.x_ticks, frame.below),
    )


def _line(panel: Panel, line: Line) -> Html:
    return joined(
        [
            through_time(panel, list(line.points), line.style) if len(line.points) > 1 else None,
            dots(panel, line.marks, line.colour, square=line.square) if line.marks else None,
        ]
    )


def _beside(panel: Panel, lines: Sequence[Line]) -> Html:
    wanted = [
        Name(line.name, panel.y.at(line.points[-1][1]), line.colour)
        for line in lines
        if line.points
    ]
    return names(panel.right + 10, wanted, panel.top, panel.bottom)


def shorten(name: str, room_px: float) -> str:
    """A name, cut if it would not fit."""
    most = int(room_px / WIDEST_PX)
    return name if len(name) <= most else name[: most - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def _above(panel: Panel, lines: Sequence[Line], room: Room) -> Html:
    """A legend in rows, the most important line's name at the top."""
    parts: list[Html] = []
    for index, line in enumerate(reversed(lines)):
        y = 36 + index * LEGEND_PX
        parts += [
            axis.key(panel.left - 52, y, line.style, square=line.square, marked=bool(line.marks)),
            element(
                "text",
                shorten(line.name, room.width - panel.left + 18),
                x=panel.left - 26,
                y=y + 4,
                class_=f"tag {line.colour}",
            ),
        ]
    return joined(parts)
