"""The totals of the items of a cost.

A line is quantity x unit price x (1 - discount) x times x rate, rounded once, half up to the cent,
after all multiplications. The total is the sum of the rounded lines, so a printed table adds up to
the cent. An item by the hour is paid `hours_per_year` x years times, one by the month 12 x years.
"""

from decimal import Decimal

from headcount.bundle.price import PriceItem, PriceRate
from headcount.plan.cost import Cost, CostItem, Period, per_year
from headcount.plan.money import product, quotient, rounded

SHORTEST: tuple[Period, ...] = ("hour", "month", "year")
"""Periods of recurring items, the shortest first: a system has the rate of its shortest."""


def lines(cost: Cost) -> list[PriceItem]:
    """The items with their totals; empty if a single amount was stated."""
    return [_line(cost, item) for item in cost.items]


def _line(cost: Cost, item: CostItem) -> PriceItem:
    worth, times = _worth(cost, item), _times(cost, item.period)
    paid = _paid(item, worth)
    return PriceItem(
        name=item.name,
        kind=item.kind,
        quantity=item.quantity,
        unit_price=item.unit_price,
        currency=item.currency or cost.currency,
        period=item.period,
        discount=item.discount,
        shared=item.shared,
        rate=worth,
        times=times,
        amount=None if times is None else rounded(product(paid, times), cost.currency),
    )


def _paid(item: CostItem, worth: Decimal) -> Decimal:
    """The amount of each payment, in the price's currency, unrounded."""
    return product(item.quantity, item.unit_price, 1 - item.discount, worth)


def _times(cost: Cost, period: Period) -> Decimal | None:
    """How often an item is paid; None if that is unknown without years."""
    if period == "once":
        return Decimal(1)
    return (
        None if cost.years is None else product(per_year(period, cost.hours_per_year), cost.years)
    )


def total(cost: Cost, *, shared: bool | None = None) -> Decimal | None:
    """The price over the stated years, to the cent; None if items are rented without years.

    Args:
        cost: The stated cost.
        shared: True for only what is paid once for all servers, False for only what each server
            costs, None for both.

    """
    if cost.amount is not None:
        return Decimal(0) if shared else rounded(cost.amount, cost.currency)
    wanted = [line for line in lines(cost) if shared is None or line.shared == shared]
    amounts = [line.amount for line in wanted]
    if any(amount is None for amount in amounts) or (cost.recurs and cost.years is None):
        return None
    return sum((amount for amount in amounts if amount is not None), Decimal(0))


def by_kind(items: list[PriceItem]) -> dict[str, Decimal]:
    """The sums of lines of each kind, in the order in which kinds first appear.

    They add up to the total, because each one is a sum of rounded lines.
    """
    sums: dict[str, Decimal] = {}
    for item in items:
        if item.amount is not None:
            sums[item.kind] = sums.get(item.kind, Decimal(0)) + item.amount
    return sums


def rate(cost: Cost) -> PriceRate | None:
    """The cost of a rented system in the shortest period of its items.

    With years, there is a rate only if something is rented by the hour (energy does not count);
    one-time items are then spread evenly over the years. Without years everything recurs, and the
    rate is the sum of the items' own. None for any other system.
    """
    period = next((one for one in SHORTEST if any(item.period == one for item in cost.items)), None)
    rented = any(item.period == "hour" and item.kind == "rental" for item in cost.items)
    if period is None or (cost.years is not None and not rented):
        return None
    in_period = per_year(period, cost.hours_per_year)
    if cost.years is not None and (whole := total(cost)) is not None:
        return PriceRate(period=period, amount=quotient(whole, product(in_period, cost.years)))
    yearly = [
        product(_paid(item, _worth(cost, item)), per_year(item.period, cost.hours_per_year))
        for item in cost.items
    ]
    return PriceRate(period=period, amount=quotient(sum(yearly, Decimal(0)), in_period))


def _worth(cost: Cost, item: CostItem) -> Decimal:
    """The value of one unit of an item's currency in the price's currency."""
    currency = item.currency or cost.currency
    return Decimal(1) if currency == cost.currency else cost.rates[currency]
