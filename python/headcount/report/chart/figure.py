"""The drawing itself, and the choice between a wide and a narrow one."""

from collections.abc import Callable
from dataclasses import dataclass

from headcount.report.markup import Html, element, joined


@dataclass(frozen=True, slots=True)
class Room:
    """How much room a drawing has.

    Attributes:
        width: In pixels; the drawing is scaled a little from there.
        left: Room for the labels of the axis.
        right: Room for the names of the lines.
        x_ticks: The most labels below.
        hover: Whether figures show under a pointer; a narrow screen has none.

    """

    width: float
    left: float
    right: float
    x_ticks: int
    hover: bool


WIDE = Room(width=880, left=64, right=64, x_ticks=10, hover=True)
NARROW = Room(width=380, left=56, right=44, x_ticks=4, hover=False)


def drawing(room: Room, height: float, label: str, description: str, *parts: Html | None) -> Html:
    """Make one SVG that scales with the page, with a text alternative."""
    return element(
        "svg",
        element("desc", description),
        *parts,
        viewBox=f"0 0 {room.width:.0f} {height:.0f}",
        class_="wide" if room.hover else "narrow",
        role="img",
        aria_label=f"{label}. {description}",
    )


def figure(draw: Callable[[Room], Html], caption: Html | str) -> Html:
    """Make a figure of two drawings, wide and narrow: text keeps its size on a narrow screen."""
    return element(
        "figure",
        joined(draw(room) for room in (WIDE, NARROW)),
        element("figcaption", caption),
    )
