"""The capacity of this run beside those that were published of other servers: bars, dashed."""

from collections.abc import Sequence

from headcount.report.chart import axis
from headcount.report.chart.figure import NARROW, WIDE, Room, drawing
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, from_zero
from headcount.report.figures.figure_types import Figure, Run, Table
from headcount.report.figures.lines import shorten
from headcount.report.figures.published import HERE, LABEL, TITLE, Reference
from headcount.report.markup import Html, element, joined, number
from headcount.text import DASH, count, interval, plural

MOST = 8
"""Published capacities of one figure."""
ROW_PX, BAR_PX = 46.0, 16.0


def figure(run: Run, references: Sequence[Reference]) -> Figure | None:
    """Draw it; None if the run found no capacity, or nothing is published.

    Args:
        run: What was measured here.
        references: Published capacities, (users, users); the first eight are drawn.

    """
    capacity = run.verdict.capacity if run.verdict is not None else None
    users = capacity.users if capacity is not None else None
    drawn = [one for one in references if one.points][:MOST]
    if capacity is None or users is None or not drawn:
        return None
    bounds = None
    if capacity.low is not None and capacity.high is not None:
        bounds = (capacity.low, capacity.high)
    parts = [f"{one.short} {count(one.points[-1][1])}" for one in drawn]
    alt = f"Capacity here: {plural('user', users)}; {LABEL}: {'; '.join(parts)}."
    bars = [(HERE, float(users)), *((one.short, one.points[-1][1]) for one in drawn)]
    rows = [[HERE, count(users), _spread(bounds), "measured"]]
    rows += [[one.short, count(one.points[-1][1]), DASH, LABEL] for one in drawn]
    return Figure(
        name="published-capacity",
        title=f"{TITLE}: capacity",
        alt=alt,
        caption=(
            f"Dashed: {LABEL}; measured with the original programs, not with this run's workload. "
            "They show orders of magnitude only."
        ),
        svg=_drawing(bars, bounds, WIDE, alt),
        narrow=_drawing(bars, bounds, NARROW, alt),
        table=Table(("System", "Users", "95% interval", "What it is"), rows),
    )


def _spread(bounds: tuple[float, float] | None) -> str:
    return interval(*bounds) if bounds else DASH


def _drawing(
    bars: Sequence[tuple[str, float]],
    bounds: tuple[float, float] | None,
    room: Room,
    alt: str,
) -> Html:
    left, right, top = 12.0, room.width - 70.0, 34.0
    bottom = top + ROW_PX * len(bars)
    ends = [users for _, users in bars] + ([bounds[1]] if bounds else [])
    panel = Panel(left, top, right, bottom, from_zero(ends, left, right), Linear(0, 1, bottom, top))
    return drawing(
        room,
        bottom + 46,
        f"{TITLE}: capacity",
        alt,
        element("text", f"dashed: {LABEL}", x=right, y=16, class_="end small"),
        *(_bar(panel, bar, index, room) for index, bar in enumerate(bars)),
        _whisker(panel, bounds) if bounds else None,
        axis.lower(panel, count, room.x_ticks, "Users"),
    )


def _bar(panel: Panel, bar: tuple[str, float], index: int, room: Room) -> Html:
    name, users = bar
    y = panel.top + ROW_PX * index
    own = index == 0
    return joined(
        [
            element(
                "text",
                shorten(name, room.width - panel.left - 8),
                x=panel.left,
                y=y + 14,
                class_="tag one" if own else "tag users",
            ),
            element(
                "rect",
                x=panel.left,
                y=y + 20,
                width=panel.x.at(users) - panel.left,
                height=BAR_PX,
                class_="bar one" if own else "bar outlined users",
            ),
            element("text", count(users), x=panel.x.at(users) + 8, y=y + 33),
        ]
    )


def _whisker(panel: Panel, bounds: tuple[float, float]) -> Html:
    """The interval of the first bar, below it, so that it covers neither bar nor figure."""
    y = panel.top + 20 + BAR_PX + 4
    low, high = (panel.x.at(users) for users in bounds)
    return element(
        "path",
        d=f"M{number(low)} {number(y)}H{number(max(high, low + 1))}",
        class_="line one",
    )
