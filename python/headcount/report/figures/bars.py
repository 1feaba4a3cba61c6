"""Bars side by side: the same share of several, in groups by the number of users."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

from headcount.report.chart import axis
from headcount.report.chart.figure import NARROW, WIDE, Room, drawing
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, from_zero
from headcount.report.chart.tick import percent_tick
from headcount.report.markup import Html, element, joined
from headcount.text import count, percent

MOST_GROUPS = 8
"""Groups of bars: more would not be distinguishable on a page's width."""
MOST_NARROW = 4
TAKEN = 0.72
"""Share of a group's width that its bars take; the rest separates the groups."""
WIDEST = 46.0
WRITTEN_FROM = 24.0
"""Width of a bar, in pixels, from which its figure stands above it."""


@dataclass(frozen=True, slots=True)
class Group:
    """The bars at one number of users, a share each, in the order of the names."""

    users: int
    shares: Sequence[float]


@dataclass(frozen=True, slots=True)
class Bars:
    """What is drawn.

    Attributes:
        title: Of the drawing, for screen readers.
        alt: What it shows, in words.
        heading: Above the upright axis.
        names: The names of the subjects.
        style: The classes of the colour and look of a subject, by its index.
        groups: By users, ascending; draws at most `MOST_GROUPS`, the last among them.

    """

    title: str
    alt: str
    heading: str
    names: Sequence[str]
    style: Callable[[int], str]
    groups: Sequence[Group]


def wide(bars: Bars) -> Html:
    """Draw them for a page."""
    return _drawing(bars, _picked(bars.groups, MOST_GROUPS), WIDE, 240.0)


def narrow(bars: Bars) -> Html:
    """Draw them for a narrow screen."""
    return _drawing(bars, _picked(bars.groups, MOST_NARROW), NARROW, 180.0)


def _picked(groups: Sequence[Group], most: int) -> Sequence[Group]:
    """At most that many groups, evenly spaced, always with the last one."""
    if len(groups) <= most:
        return groups
    step = (len(groups) - 1) / (most - 1)
    return [groups[round(index * step)] for index in range(most)]


def _drawing(bars: Bars, groups: Sequence[Group], room: Room, height: float) -> Html:
    top, right = 44.0 + 20 * len(bars.names), room.width - 18.0
    bottom = top + height
    shares = list(chain.from_iterable(group.shares for group in groups))
    panel = Panel(
        room.left,
        top,
        right,
        bottom,
        Linear(0, len(groups), room.left, right),
        from_zero(shares, bottom, top, most=1.0),
    )
    return drawing(
        room,
        bottom + 46,
        bars.title,
        bars.alt,
        element("text", bars.heading, x=panel.left - 52, y=16, class_="title"),
        *(_named(panel, name, bars.style(place), place) for place, name in enumerate(bars.names)),
        axis.upright(panel, percent_tick),
        *(_group(panel, group, bars.style, place) for place, group in enumerate(groups)),
        element("text", "Users", x=(panel.left + right) / 2, y=bottom + 38, class_="mid name"),
    )


def _named(panel: Panel, name: str, style: str, place: int) -> Html:
    y, left = 28 + 20 * place, panel.left - 52
    return joined(
        [
            element("rect", x=left, y=y, width=18, height=12, class_=f"bar {style}"),
            element("text", name, x=left + 26, y=y + 11, class_=f"tag {style}"),
        ]
    )


def _group(panel: Panel, group: Group, style: Callable[[int], str], place: int) -> Html:
    middle, number = panel.x.at(place + 0.5), len(group.shares)
    width = min((panel.x.at(1) - panel.x.at(0)) * TAKEN / number, WIDEST)
    parts = [element("text", count(group.users), x=middle, y=panel.bottom + 18, class_="mid")]
    for index, share in enumerate(group.shares):
        left, y = middle + (index - number / 2) * width + 1, panel.y.at(share)
        parts.append(
            element(
                "rect",
                x=left,
                y=y,
                width=max(width - 2, 1.0),
                height=max(panel.bottom - y, 0.5),
                class_=f"bar {style(index)}",
            )
        )
        if width >= WRITTEN_FROM:
            at = left + width / 2 - 1
            parts.append(
                element("text", percent(share), x=at, y=y - 5, class_=f"mid tag {style(index)}")
            )
    return joined(parts)
