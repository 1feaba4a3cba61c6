"""What the system under test costs, and what that makes for each: a part of `verdict.json`."""

from datetime import date

from pydantic import Field

from headcount.bundle.level import Record
from headcount.plan.cost import Kind, Period
from headcount.plan.money import Exact


class PriceItem(Record):
    """One line of the price, and what it comes to."""

    name: str
    kind: Kind
    quantity: Exact
    unit_price: Exact = Field(description="Price of one, before the discount, in `currency`")
    currency: str
    period: Period = Field(description="What the unit price is paid for: `once` or a period")
    discount: Exact = Field(description="Discount, as a share of the unit price")
    shared: bool = Field(description="Paid once for all servers of this kind")
    rate: Exact = Field(description="Value of one unit of `currency` in the price's currency")
    times: Exact | None = Field(description="How often it is paid; null without a number of years")
    amount: Exact | None = Field(
        description="quantity x unit_price x (1 - discount) x times x rate in the price's "
        "currency, rounded half up to its smallest unit"
    )


class PriceRate(Record):
    """What the system costs in an hour, a month or a year, where it is rented."""

    period: Period
    amount: Exact = Field(description="In the currency of the price; not rounded")


class PriceEach(Record):
    """What the system under test costs for each user, mark or request per second."""

    of: str = Field(description="`user`, `request/s`, `scenario/s`, or the name of the marks")
    figure: float = Field(description="How many there are: what the price is divided by")
    value: Exact = Field(description="In the currency of the price; not rounded")
    interval: tuple[Exact, Exact] | None = Field(description="From the 95% interval of the figure")
    period: Period = Field(
        default="once", description="`once`: of the whole price; else of the rate of that period"
    )


class Price(Record):
    """What the system costs as stated by the tester, and what that makes for each."""

    amount: Exact | None = Field(
        description="The sum of the items; null for rentals without a number of years"
    )
    currency: str
    each: list[PriceEach]
    items: list[PriceItem] = Field(default=[], description="Empty where one amount was stated")
    years: Exact | None = Field(
        default=None, description="Years over which to add up recurring items"
    )
    hours_per_year: Exact | None = Field(default=None, description="Of items by the hour or `rate`")
    rate: PriceRate | None = Field(default=None, description="Where items recur")
    priced_on: date | None = Field(default=None, description="Date of the prices, as stated")
