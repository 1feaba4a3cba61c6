"""The basis on which configurations are compared: currency, and whole or periodic prices."""

from collections.abc import Sequence
from decimal import Decimal

from headcount.analyse.prices.configuration import Configuration
from headcount.analyse.prices.price_report import Priced
from headcount.bundle.price import Price
from headcount.errors import InputError
from headcount.plan.cost import HOURS_PER_YEAR, Period, per_year
from headcount.plan.money import product, quotient


def currency(prices: Sequence[Price]) -> str | None:
    """The one currency of all prices; raises InputError if there are several."""
    found = list(dict.fromkeys(price.currency for price in prices))
    if len(found) > 1:
        one, other = found[:2]
        raise InputError(
            f"prices in {' and '.join(found)} cannot be compared; state them in one currency: in "
            f'the costs file, currency = "{one}", each item\'s own currency = "{other}", and what '
            f"one is worth: rates = {{ {other} = 1.25 }}"
        )
    return found[0] if found else None


def basis(prices: Sequence[Price]) -> Period | None:
    """What all prices have: a whole amount, or the rate of one period; None without prices.

    Raises InputError if they have nothing in common, or count different years.
    """
    if not prices:
        return None
    if all(price.amount is not None for price in prices):
        _check_years(prices)
        return "once"
    periods = {price.rate.period for price in prices if price.rate is not None}
    if len(periods) == 1 and all(price.rate is not None for price in prices):
        return periods.pop()
    raise InputError("some prices are one-off and some recur; give --years, such as --years 3")


def _check_years(prices: Sequence[Price]) -> None:
    years = sorted({price.years for price in prices if price.years is not None})
    if len(years) > 1:
        text = " and ".join(f"{each:f}" for each in years)
        raise InputError(f"prices over {text} years cannot be compared; give --years, such as 3")


def configuration(priced: Priced, on: Period | None) -> Configuration | None:
    """A configuration to calculate with, priced on a basis; None if it holds no users."""
    if not priced.users:
        return None
    low, high = priced.interval or (None, None)
    each, shared = _amounts(priced.price, on)
    return Configuration(priced.name, priced.users, low, high, each, shared)


def _amounts(price: Price | None, on: Period | None) -> tuple[Decimal | None, Decimal]:
    """The cost of one system, and the cost that all of them share."""
    if price is None or on is None:
        return None, Decimal(0)
    shared = sum((one.amount or Decimal(0) for one in price.items if one.shared), Decimal(0))
    if on == "once" and price.amount is not None:
        return price.amount - shared, shared
    if price.rate is None:
        return None, Decimal(0)
    if price.amount is not None:
        shared = quotient(product(price.rate.amount, shared), price.amount)
    else:
        shared = _shared_rate(price)
    return price.rate.amount - shared, shared


def _shared_rate(price: Price) -> Decimal:
    """The cost of shared items in the period of the rate, if all items recur."""
    hours = price.hours_per_year or HOURS_PER_YEAR
    yearly = [
        product(
            one.quantity, one.unit_price, 1 - one.discount, one.rate, per_year(one.period, hours)
        )
        for one in price.items
        if one.shared
    ]
    assert price.rate is not None
    return quotient(sum(yearly, Decimal(0)), per_year(price.rate.period, hours))
