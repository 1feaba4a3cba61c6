"""What the system under test costs for each user, and for each of what a workload counts."""

from headcount.bundle.verdict import Capacity, Marks, Price, PriceEach
from headcount.plan.cost import Cost


def per(
    amount: float, of: str, figure: float, interval: tuple[float, float] | None = None
) -> PriceEach:
    """The price of one of a figure, which must be above 0, with its interval carried over.

    The price is amount / figure, which falls as the figure grows: the interval's bounds change
    places. A bound of 0 has no price, and leaves no interval.
    """
    bounds = None
    if interval is not None and min(interval) > 0:
        bounds = (amount / max(interval), amount / min(interval))
    return PriceEach(of=of, figure=figure, value=amount / figure, interval=bounds)


def price(
    cost: Cost | None, users: int | None, capacity: Capacity | None, marks: Marks | None
) -> Price | None:
    """The price per user and per mark of an answer; None where no cost is stated.

    `users` are those of the answer: the capacity, or the largest level that passed. Without any
    there is nothing to divide by, and no price for each.
    """
    if cost is None:
        return None
    each = []
    if users:
        known = capacity is not None and capacity.low is not None and capacity.high is not None
        interval = (capacity.low, capacity.high) if known else None  # type: ignore[union-attr]
        each.append(per(cost.amount, "user", users, interval))  # type: ignore[arg-type]
    if users and marks is not None and marks.per_minute > 0:
        each.append(per(cost.amount, marks.name, marks.per_minute, marks.interval_per_minute))
    return Price(amount=cost.amount, currency=cost.currency, each=each)
