"""Marks at measured levels: filled passed, hollow failed, crossed invalid."""

from collections.abc import Iterable, Sequence
from typing import Literal

from headcount.report.chart.panel import Panel
from headcount.report.markup import Html, element, joined, number

Outcome = Literal["passed", "failed", "invalid"]
Dot = tuple[float, float | None, Outcome]
"""Users, the value there (None without one) and the outcome of the level."""

SQUARE_PX, HOLE_PX = 8.0, 4.0
"""Side of square marks, and of the hole in hollow ones; must match the style sheet."""

Whisker = tuple[float, tuple[float, float] | None]
"""Users, and the interval of the value there."""


def dots(panel: Panel, values: Sequence[Dot], style: str, *, square: bool = False) -> Html:
    """Draw a mark at each level that has a value, round or square.

    All marks of one kind are one path of zero-length lines with round caps: a dot takes a dozen
    bytes, so a page of many levels stays small.
    """
    form = " square" if square else ""
    valid = _places(panel, values, ("passed", "failed"))
    hollow = _places(panel, values, ("failed",))
    invalid = _places(panel, values, ("invalid",))
    cross = "".join(f"M{number(x - 4)} {number(y - 4)}l8 8m0-8l-8 8" for x, y in invalid)
    return joined(
        [
            _marks(valid, f"dot{form} {style}", SQUARE_PX if square else 0.0),
            _marks(hollow, f"hole{form}", HOLE_PX if square else 0.0),
            element("path", d=cross, class_="cross") if cross else None,
        ]
    )


def whiskers(panel: Panel, values: Iterable[Whisker], style: str) -> Html | None:
    """Draw intervals as upright bars behind the dots."""
    data = "".join(
        f"M{number(panel.x.at(x))} {number(panel.y.at(ends[0]))}V{number(panel.y.at(ends[1]))}"
        for x, ends in values
        if ends is not None
    )
    return element("path", d=data, class_=f"whisker {style}") if data else None


def _places(
    panel: Panel, values: Sequence[Dot], outcomes: tuple[Outcome, ...]
) -> list[tuple[float, float]]:
    return [
        (panel.x.at(x), panel.y.at(y))
        for x, y, outcome in values
        if y is not None and outcome in outcomes
    ]


def _marks(places: Sequence[tuple[float, float]], style: str, length: float) -> Html | None:
    """Draw marks: a zero-length line with round caps is a dot.

    A square is as long as it is thick, because printing programs skip zero-length squares.
    """
    data = "".join(f"M{number(x - length / 2)} {number(y)}h{number(length)}" for x, y in places)
    return element("path", d=data, class_=style) if data else None
