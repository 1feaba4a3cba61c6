"""One outage as time passed: what was answered and what failed, a tenth of a second at a time."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from headcount.bundle import moments
from headcount.bundle.failover import Failover, Outage
from headcount.bundle.moments import Row
from headcount.bundle.reader import Bundle
from headcount.report.chart.figure import NARROW, WIDE, Room
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, from_zero
from headcount.report.chart.tick import rate_tick
from headcount.report.failover import typical
from headcount.report.figures.figure_types import Figure, Table
from headcount.report.figures.lines import Frame, Line, chart
from headcount.report.markup import Html, element, joined
from headcount.text import duration, significant

BIN_S = 0.1
MOST_BINS = 400
"""Most bins drawn; with more, nobody could distinguish them, so they get wider."""
BEFORE_S, BEHIND_S = 3.0, 5.0
"""Seconds drawn before the fault, and after users were served again."""
BELOW = "Seconds after the fault"
HEADING = "Scenarios per second"
TABLE_ROWS = 40
MARK_PX = 16.0
"""Distance between the texts of two marks."""


def figure(found: Failover, rows: Sequence[Row]) -> Figure | None:
    """Draw the median outage; None if its file was not kept."""
    one = typical(found.outages)
    if one is None or not rows:
        return None
    from_s, to_s = _shown(one)
    bin_s = BIN_S * max(math.ceil((to_s - from_s) / BIN_S / MOST_BINS), 1)
    middle_s = found.slot_s / 2 - one.injected_s
    placed = [(row[0] + middle_s, row) for row in rows]
    answered = _rates(placed, (from_s, to_s), bin_s, lambda row: row[1])
    failed = _rates(placed, (from_s, to_s), bin_s, lambda row: row[3])
    title = f"One outage, {bin_s:g} s at a time (repetition {one.level})"
    alt = (
        f"Scenarios completed and failed per second, from {significant(-from_s)} s before the "
        f"fault to {significant(to_s)} s after it."
    )
    return Figure(
        name="outage",
        title=title,
        alt=alt,
        caption="The fault begins at 0. Of all repetitions this is the one in the middle by when "
        "users were served again.",
        svg=_drawing(answered, failed, _marks(one), WIDE, title, alt),
        narrow=_drawing(answered, failed, _marks(one), NARROW, title, alt),
        table=_table(answered, failed),
    )


def of_bundle(bundle: Bundle, found: Failover) -> Figure | None:
    """The figure of a bundle; None if the file of that repetition was not kept."""
    return figure(found, typical_rows(bundle.folder, found))


def typical_rows(folder: Path, found: Failover) -> Sequence[Row]:
    """The slots of the median outage; none if its file was not kept."""
    one = typical(found.outages)
    return (moments.read(folder, one.level) or []) if one is not None else []


Points = Sequence[tuple[float, float]]


def _shown(one: Outage) -> tuple[float, float]:
    """Start and end of the drawing, in seconds after the fault."""
    ends = [one.served_s, one.answered_s]
    known = [end for end in ends if end is not None]
    to_s = max(known) + BEHIND_S if len(known) == len(ends) else one.watched_s
    return -min(BEFORE_S, one.injected_s), min(max(to_s, BEHIND_S), one.watched_s)


def _rates(
    placed: Sequence[tuple[float, Row]],
    shown: tuple[float, float],
    bin_s: float,
    counted: Callable[[Row], int],
) -> Points:
    """A rate for each bin, at its middle; empty bins have 0.

    `placed` are slots with their middles, in seconds after the fault.
    """
    from_s, to_s = shown
    number = max(math.floor((to_s - from_s) / bin_s), 1)
    counts = [0] * number
    for at_s, row in placed:
        place = math.floor((at_s - from_s) / bin_s)
        if 0 <= place < number:
            counts[place] += counted(row)
    return [(from_s + (at + 0.5) * bin_s, found / bin_s) for at, found in enumerate(counts)]


def _marks(one: Outage) -> Sequence[tuple[float, str]]:
    """Moments of an outage that a line marks, and what happened then."""
    found = (
        (one.noticed_s, "noticed"),
        (one.taken_over_s, "taken over"),
        (one.served_s or None, "served again"),
    )
    return [(at_s, f"{what}, {duration(at_s * 1000)}") for at_s, what in found if at_s is not None]


def _rules(panel: Panel, marks: Sequence[tuple[float, str]]) -> Html:
    """A vertical line for each mark, each text on its own row: marks may be close together."""
    parts: list[Html] = []
    for place, (at_s, text) in enumerate(marks):
        x = panel.x.at(at_s)
        is_right = x > (panel.left + panel.right) / 2
        parts += [
            element("path", d=f"M{x:.1f} {panel.top:.1f}V{panel.bottom:.1f}", class_="line limit"),
            element(
                "text",
                text,
                x=x - 5 if is_right else x + 5,
                y=panel.top + 14 + place * MARK_PX,
                text_anchor="end" if is_right else "start",
                class_="tag limit",
            ),
        ]
    return joined(parts)


def _drawing(
    answered: Points,
    failed: Points,
    marks: Sequence[tuple[float, str]],
    room: Room,
    title: str,
    alt: str,
) -> Html:
    most = max((rate for _, rate in (*answered, *failed)), default=0.0)
    lines = [Line("failed", "two", failed), Line("completed", "one", answered)]
    first, last = answered[0][0], answered[-1][0]
    frame = Frame(
        HEADING,
        BELOW,
        lambda low, high: Linear(first, last, low, high),
        lambda low, high: from_zero([most], low, high),
        lambda at_s: f"{at_s:g}",
        rate_tick,
    )
    shown = [(at_s, text) for at_s, text in marks if first <= at_s <= last]
    return chart(room, frame, lines, title, alt, before=[lambda panel: _rules(panel, shown)])


def _table(answered: Points, failed: Points) -> Table:
    every = max(len(answered) // TABLE_ROWS, 1)
    shown = list(zip(answered, failed, strict=True))[::every]
    return Table(
        ["Seconds after the fault", "Completed per second", "Failed per second"],
        [
            [significant(at_s) if at_s else duration(0), significant(good), significant(bad)]
            for (at_s, good), (_, bad) in shown
        ],
    )
