"""The cost of a configuration by users: staircases, since servers come whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from headcount.analyse.prices.configuration import Configuration
from headcount.analyse.prices.curve import points, steps
from headcount.report.chart.figure import NARROW, WIDE, Room
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, from_zero
from headcount.report.chart.tick import rate_tick
from headcount.report.figures.figure_types import Figure, Run, Table
from headcount.report.figures.lines import Frame, Line, chart
from headcount.report.figures.plot import Axis, Plot, Rule, Series
from headcount.report.markup import Html, element, joined
from headcount.text import count, plural, significant

TITLE = "Cost for this many users"
STYLES = ("one", "two", "three", "four", "five", "six")
"""Classes of the curves; their number is the most curves of one figure."""
TABLE_ROWS = 40
CENTS_BELOW = 1000.0
"""Amounts from here on are read without their cents."""
SERVERS_SHOWN = 10
"""Steps of the staircase of one run: a larger order needs a new quote."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One configuration's costs.

    Attributes:
        name: For people.
        corners: (users, amount), ascending: the corners of its staircase, joined by straight lines.

    """

    name: str
    corners: Sequence[tuple[float, float]]


def figure(curves: Sequence[Curve], currency: str, needed: int | None = None) -> Figure | None:
    """Draw it; None without a curve.

    Args:
        curves: At most six configurations, in the order of a legend.
        currency: Such as `USD`, for the axis.
        needed: The users that are needed, drawn as an upright line; None if not given.

    """
    drawn = [curve for curve in curves if len(curve.corners) > 1][: len(STYLES)]
    if not drawn:
        return None
    alt = _in_words(drawn, currency, needed)
    return Figure(
        name="cost",
        title=TITLE,
        alt=alt,
        caption=f"{alt} Steps: one user more than a server holds needs another server.",
        svg=_drawing(drawn, currency, needed, WIDE, alt),
        narrow=_drawing(drawn, currency, needed, NARROW, alt),
        table=_table(drawn, currency),
        plot=Plot(
            x=Axis("Users", "count"),
            left=Axis(currency, "money"),
            series=[
                Series(curve.name, style, curve.corners)
                for curve, style in zip(drawn, STYLES, strict=False)
            ],
            rules=(
                [Rule(f"{plural('user', needed)} needed", "capacity", needed, upright=True)]
                if needed is not None
                else []
            ),
        ),
    )


def of_run(run: Run) -> Figure | None:
    """Draw the cost of servers like the one measured; None without a whole price and a capacity."""
    price = run.verdict.price if run.verdict is not None else None
    capacity = run.verdict.capacity if run.verdict is not None else None
    if price is None or price.amount is None or capacity is None or not capacity.users:
        return None
    shared = sum((item.amount or Decimal(0) for item in price.items if item.shared), Decimal(0))
    one = Configuration(
        f"servers of {plural('user', capacity.users)}",
        capacity.users,
        each=price.amount - shared,
        shared=shared,
    )
    corners = points(steps(one, capacity.users * SERVERS_SHOWN))
    curve = Curve(one.name, [(float(users), float(amount)) for users, amount in corners])
    return figure([curve], price.currency)


def amount_at(curve: Curve, users: float) -> float | None:
    """The cost of that many users by a curve; None beyond its end."""
    return next((amount for corner, amount in curve.corners if corner >= users), None)


def _amount_text(amount: float | None) -> str:
    """An amount without needless cents: servers by the hour cost few of them."""
    if amount is None or amount == 0 or amount >= CENTS_BELOW:
        return count(amount)
    return f"{amount:,.2f}" if amount >= 1 else significant(amount)


def _drawing(
    curves: Sequence[Curve], currency: str, needed: int | None, room: Room, alt: str
) -> Html:
    most = max(corner[0] for curve in curves for corner in curve.corners)
    amounts = [corner[1] for curve in curves for corner in curve.corners]
    frame = Frame(
        heading=f"Price, {currency}",
        below="Users",
        x=lambda start, end: Linear(0, most, start, end),
        y=lambda start, end: from_zero(amounts, start, end),
        x_written=count,
        y_written=rate_tick,
    )
    lines = [
        Line(curve.name, style, curve.corners) for curve, style in zip(curves, STYLES, strict=False)
    ]
    behind = [lambda panel: _needed(panel, needed)] if needed is not None else []
    return chart(room, frame, lines, TITLE, alt, behind=behind)


def _needed(panel: Panel, users: int | None) -> Html | None:
    if users is None or panel.x.at(users) >= panel.right:
        return None
    x = panel.x.at(users)
    before = x > (panel.left + panel.right) / 2
    return joined(
        [
            element(
                "path", d=f"M{x:.1f} {panel.top - 4:.1f}V{panel.bottom:.1f}", class_="line capacity"
            ),
            element(
                "text",
                f"{plural('user', users)} needed",
                x=x + (-6 if before else 6),
                y=panel.top - 6,
                class_="tag capacity" + (" end" if before else ""),
            ),
        ]
    )


def _in_words(curves: Sequence[Curve], currency: str, needed: int | None) -> str:
    users = needed if needed is not None else int(curves[0].corners[-1][0])
    parts = [
        f"{curve.name} {_amount_text(amount)} {currency}"
        for curve in curves
        if (amount := amount_at(curve, users)) is not None
    ]
    return (
        f"For {plural('user', users)}: {', '.join(parts)}." if parts else f"Prices in {currency}."
    )


def _table(curves: Sequence[Curve], currency: str) -> Table:
    ends = sorted({corner[0] for curve in curves for corner in curve.corners[1::2]})
    every = max(1, -(-len(ends) // TABLE_ROWS))
    rows = []
    for users in ends[::every]:
        amounts = [amount_at(curve, users) for curve in curves]
        rows.append([count(users), *map(_amount_text, amounts)])
    return Table(("Up to users", *(f"{curve.name}, {currency}" for curve in curves)), rows)
