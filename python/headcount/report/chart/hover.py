"""Figures under the pointer: an upright strip for each place that levels were measured at."""

from collections.abc import Sequence
from itertools import pairwise

from headcount.report.chart.line import NEAR_PX
from headcount.report.chart.panel import Panel
from headcount.report.markup import Html, element, joined
from headcount.text import plural

MOST_LEVELS = 4
"""Levels in one tooltip; nobody would read more."""


def strips(panels: Sequence[Panel], levels: Sequence[tuple[float, str]]) -> Html:
    """Make strips that share the width, each with the text of the levels in it.

    Args:
        panels: From the upper to the lower, on the same scale of users.
        levels: Users and the text to show, in any order.

    """
    first, bottom = panels[0], panels[-1].bottom
    groups: list[tuple[float, list[str]]] = []
    for users, text in sorted(levels):
        x = first.x.at(users)
        if groups and x - groups[-1][0] < NEAR_PX:
            groups[-1][1].append(text)
        else:
            groups.append((x, [text]))
    places = [x for x, _ in groups]
    edges = [first.left, *((a + b) / 2 for a, b in pairwise(places))]
    edges.append(first.right)
    return joined(
        element(
            "g",
            element("title", _hover_text(texts)),
            element(
                "rect", x=left, y=first.top, width=max(right - left, 0), height=bottom - first.top
            ),
            element("path", d=f"M{x:.1f} {first.top:.1f}V{bottom:.1f}"),
            class_="at",
        )
        for (x, texts), left, right in zip(groups, edges, edges[1:], strict=False)
    )


def _hover_text(texts: Sequence[str]) -> str:
    more = len(texts) - MOST_LEVELS
    return "\n\n".join(
        [*texts[:MOST_LEVELS], *([f"and {plural('more level', more)}"] if more > 0 else [])]
    )
