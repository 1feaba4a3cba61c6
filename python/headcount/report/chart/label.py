"""Names beside the lines, so that readers need neither a legend nor colours."""

from collections.abc import Sequence
from dataclasses import dataclass

from headcount.report.markup import Html, element, joined

APART_PX = 15.0
"""The least distance between two names."""


@dataclass(frozen=True, slots=True)
class Name:
    """A line's name, the height its line ends at, and the class that colours it."""

    text: str
    y: float
    style: str


def names(x: float, wanted: Sequence[Name], top: float, bottom: float) -> Html:
    """Write names at ``x``, each as near to its line's end as the others allow."""
    ordered = sorted(wanted, key=lambda name: name.y)
    places = spread([name.y for name in ordered], top, bottom)
    return joined(
        element("text", name.text, x=x, y=y + 4, class_=f"tag {name.style}")
        for name, y in zip(ordered, places, strict=True)
    )


def spread(wanted: Sequence[float], top: float, bottom: float) -> list[float]:
    """Move heights, given from the top down, until all are at least `APART_PX` apart."""
    places: list[float] = []
    for y in wanted:
        places.append(max(y, places[-1] + APART_PX if places else top))
    limit = bottom
    for index in range(len(places) - 1, -1, -1):
        places[index] = min(places[index], limit)
        limit = places[index] - APART_PX
    return places
