"""The capacity, or the saturation point, on the axis of users."""

import math
from collections.abc import Sequence

from headcount.bundle.verdict import Capacity, Plateau
from headcount.report.chart.panel import Panel
from headcount.report.markup import Html, element, joined
from headcount.text import interval, plural


def capacity_band(
    panels: Sequence[Panel], capacity: Capacity | None, *, short: bool
) -> Html | None:
    """Draw the interval and the line through all panels, and name them above the first.

    Nothing is drawn where no capacity was found. An interval without an upper end runs to the
    right edge. ``short`` leaves the interval out of the name, for narrow drawings.
    """
    if capacity is None or (capacity.users is None and capacity.estimate is None):
        return None
    first, last = panels[0], panels[-1]
    number = capacity.users if capacity.users is not None else capacity.estimate
    parts: list[Html] = []
    if capacity.low is not None and not capacity.at_least:
        left = first.x.at(capacity.low)
        right = first.x.at(capacity.high) if capacity.high is not None else first.right
        parts.append(
            element(
                "rect",
                x=left,
                y=first.top,
                width=max(right - left, 1.0),
                height=last.bottom - first.top,
                class_="band",
            )
        )
    parts.append(_rule(panels, number or 0, capacity_label(capacity, short=short)))
    return joined(parts)


def saturation_rule(panels: Sequence[Panel], plateaus: Sequence[Plateau]) -> Html | None:
    """Draw a line at the saturation point of the scenarios, and name it; nothing without one."""
    found = [each.users for each in plateaus if each.figure == "scenarios" and each.users]
    if not found:
        return None
    return _rule(panels, found[0], f"saturation point {plural('user', found[0])}")


def _rule(panels: Sequence[Panel], users: float, name: str) -> Html:
    """A line through all panels, named above the first."""
    first, last = panels[0], panels[-1]
    x = first.x.at(users)
    before = x > (first.left + first.right) / 2
    path = f"M{x:.1f} {first.top - 4:.1f}V{last.bottom:.1f}"
    tag = element(
        "text",
        name,
        x=x + (-6 if before else 6),
        y=first.top - 10,
        class_="tag capacity" + (" end" if before else ""),
    )
    return joined([element("path", d=path, class_="line capacity"), tag])


def capacity_label(capacity: Capacity, *, short: bool = False) -> str:
    """Name a capacity as a chart does, with its interval unless it has to be `short`."""
    if capacity.users is None:
        return f"estimate {plural('user', capacity.estimate)}"
    if capacity.at_least:
        return f"at least {plural('user', capacity.users)}"
    text = f"capacity {plural('user', capacity.users)}"
    if not short and capacity.low is not None and capacity.high is not None:
        # Rounded outwards, as in the verdict, so that the users quoted are within the interval.
        bounds = interval(math.floor(capacity.low), math.ceil(capacity.high))
        text += f" (95% interval {bounds})"
    return text
