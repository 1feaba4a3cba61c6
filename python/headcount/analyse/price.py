"""The price of the system under test per user, and per unit of what a workload counts."""

from decimal import Decimal

from headcount.analyse.prices.total import lines, rate, total
from headcount.bundle.level import LevelResult
from headcount.bundle.price import Price, PriceEach
from headcount.bundle.verdict import Capacity, Marks
from headcount.plan.cost import Cost, Period
from headcount.plan.money import exact, quotient

Interval = tuple[float, float]

OPENING = "CONNECT"
"""Counted among HTTP's requests although it only opens a connection."""


def per(
    amount: Decimal,
    of: str,
    figure: float,
    interval: Interval | None = None,
    period: Period = "once",
) -> PriceEach:
    """The price of one of a figure, which must be above 0, with its interval carried over.

    The price is amount / figure, which falls as the figure grows, so the interval's bounds swap
    places. If a bound is 0, there is no interval.
    """
    bounds = None
    if interval is not None and min(interval) > 0:
        low, high = exact(min(interval)), exact(max(interval))
        bounds = (quotient(amount, high), quotient(amount, low))
    value = quotient(amount, exact(figure))
    return PriceEach(of=of, figure=figure, value=value, interval=bounds, period=period)


def price(
    cost: Cost | None,
    users: int | None,
    capacity: Capacity | None,
    marks: Marks | None,
    level: LevelResult | None = None,
) -> Price | None:
    """The price per user, mark and request per second of an answer; None where no cost is stated.

    `users` are those of the answer: the capacity, or the largest level that passed; `level` is the
    level that stands for it. Without users there is nothing to divide by, and no unit price.
    A rented system also has unit prices in the period of its rate; without years, only those.
    """
    if cost is None:
        return None
    amount, by_period = total(cost), rate(cost)
    figures = _figures(users, capacity, marks, level) if users else []
    each = [] if amount is None else [per(amount, *one) for one in figures]
    if by_period is not None:
        each += [per(by_period.amount, *one, by_period.period) for one in figures]
    return Price(
        amount=amount,
        currency=cost.currency,
        each=each,
        items=lines(cost),
        years=cost.years,
        hours_per_year=cost.hours_per_year if by_period is not None else None,
        rate=by_period,
        priced_on=cost.priced_on,
    )


def _figures(
    users: int, capacity: Capacity | None, marks: Marks | None, level: LevelResult | None
) -> list[tuple[str, float, Interval | None]]:
    """What the price is divided by: name, number, 95% interval."""
    interval = None
    if capacity is not None and capacity.low is not None and capacity.high is not None:
        # Bundles of older versions may have a number below their interval.
        interval = (min(capacity.low, users), max(capacity.high, users))
    found: list[tuple[str, float, Interval | None]] = [("user", users, interval)]
    if marks is not None and marks.per_minute > 0:
        found.append((marks.name, marks.per_minute, marks.interval_per_minute))
    return found + _throughput(level)


def _throughput(level: LevelResult | None) -> list[tuple[str, float, Interval | None]]:
    """Requests per second of a level, or scenarios where requests are not counted.

    A level has one number of requests. The interval of their rate is taken to be as wide, relative
    to the rate, as that of the scenarios which made them.
    """
    if level is None or level.achieved_per_s <= 0:
        return []
    interval = level.total.rate_interval_per_s
    requests = sum(many for name, many in level.requests.items() if name != OPENING)
    if not requests or level.steady_s <= 0:
        return [("scenario/s", level.achieved_per_s, interval)]
    factor = requests / level.steady_s / level.achieved_per_s
    scaled = (interval[0] * factor, interval[1] * factor) if interval is not None else None
    return [("request/s", requests / level.steady_s, scaled)]
