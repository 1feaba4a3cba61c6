"""What the system under test costs, as stated by the tester."""

import re
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

from headcount.errors import InputError
from headcount.fields.mistakes import describe
from headcount.fields.model import Strict
from headcount.plan.money import MOST_DIGITS, Currency, Discount, Stated
from headcount.plan.toml_file import toml_values

Period = Literal["once", "hour", "month", "year"]
Kind = Literal["hardware", "software", "maintenance", "rental", "energy", "administration", "other"]

MOST_ITEMS = 500
"""Most items: more than a quotation for a server has."""
HOURS_PER_YEAR = Decimal(8760)
"""365 days of 24 hours: like the price lists of hosting providers, without leap days."""
MONTHS_PER_YEAR = Decimal(12)

_FORM = re.compile(
    r"(?P<amount>\d+(?:,\d{3})*(?:\.\d+)?)\s*(?P<currency>[A-Za-z]{3})"
    r"(?:\s*(?:/|\bper\b)\s*(?P<period>hour|month|year))?"
)


class _Written(Strict):
    """Written without what nobody stated, so that a plan reads as its author wrote it."""

    @model_serializer(mode="wrap")
    def _as_written(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        made: dict[str, Any] = handler(self)
        return {key: value for key, value in made.items() if key in self.model_fields_set}


class CostItem(_Written):
    """One line of a price: so many of a thing, at so much each."""

    name: str = Field(min_length=1, max_length=200)
    quantity: Annotated[Stated, Field(gt=0)] = Decimal(1)
    unit_price: Stated = Field(description="Price of one, before the discount")
    currency: Currency | None = Field(default=None, description="The price's by default")
    period: Period = Field(default="once", description="Paid once, or once per period")
    discount: Discount = Decimal(0)
    kind: Kind = "other"
    shared: bool = Field(default=False, description="Paid once for all servers of this kind")


class Cost(_Written):
    """The price of the system under test: an amount, or items."""

    amount: Annotated[Stated, Field(gt=0)] | None = Field(default=None, description="The total")
    currency: Currency = Field(description="Three letters, such as USD")
    items: list[CostItem] = Field(default=[], max_length=MOST_ITEMS)
    years: Annotated[Stated, Field(gt=0, le=100)] | None = Field(
        default=None, description="Years over which to add up recurring items"
    )
    hours_per_year: Annotated[Stated, Field(gt=0, le=8784)] = HOURS_PER_YEAR
    rates: dict[Currency, Annotated[Stated, Field(gt=0)]] = Field(
        default={}, description="Value of one unit of another currency in the price's"
    )
    priced_on: date | None = Field(default=None, description="Date of these prices")

    @model_validator(mode="after")
    def _consistent(self) -> "Cost":
        if (self.amount is None) == (not self.items):
            raise ValueError("give either an amount or items with their prices")
        if self.currency in self.rates:
            raise ValueError(f"the price is in {self.currency}, so its rate is 1; remove it")
        self._check_currencies()
        if self.years is None and self.recurs and any(one.period == "once" for one in self.items):
            raise ValueError(
                "some items are paid once and some recur, so a total needs a period; give years "
                "(or --years), such as 3"
            )
        if self.items and not any(item.unit_price for item in self.items):
            raise ValueError("every item is free; give at least one a price")
        return self

    def _check_currencies(self) -> None:
        known = {self.currency, *self.rates}
        foreign = sorted({item.currency or self.currency for item in self.items} - known)
        if foreign:
            raise ValueError(
                f"the price is in {self.currency} and items are in {', '.join(foreign)}; give "
                f"the rate, such as rates = {{ {foreign[0]} = 1.25 }} if 1 {foreign[0]} is 1.25 "
                f"{self.currency}, or give all prices in {self.currency}"
            )

    @property
    def recurs(self) -> bool:
        """Whether an item is paid more than once."""
        return any(item.period != "once" for item in self.items)


def per_year(period: Period, hours_per_year: Decimal) -> Decimal:
    """How often a period comes in a year; 0 for one-time payments."""
    times = {"hour": hours_per_year, "month": MONTHS_PER_YEAR, "year": Decimal(1)}
    return times.get(period, Decimal(0))


def parse_cost(text: str, option: str = "--cost") -> Cost:
    """Read `29581 USD`, `29,581.50 EUR` or `0.34 USD/hour`; raises InputError if it is neither."""
    match = _FORM.fullmatch(text.strip())
    amount = match["amount"].replace(",", "") if match else "0"
    if match is None or Decimal(amount) == 0 or len(amount.replace(".", "")) > MOST_DIGITS:
        raise InputError(
            f'{option} is "{text}"; write an amount above 0 and a currency, such as "29581 USD", '
            'or with a period, such as "0.34 USD/hour"'
        )
    currency = match["currency"].upper()
    if match["period"] is None:
        return Cost(amount=Decimal(amount), currency=currency)
    item = {"name": "system", "unit_price": amount, "period": match["period"], "kind": "rental"}
    return Cost.model_validate({"currency": currency, "items": [item]})


def load_costs(path: Path, years: Decimal | None = None) -> Cost:
    """Read a file of costs, the keys of `[cost]`; raises InputError with every mistake in it.

    `years` replaces that of the file, if an item of it recurs.
    """
    values = toml_values(path, f"the cost file {path}", Decimal)
    if set(values) == {"cost"} and isinstance(values["cost"], dict):
        values = values["cost"]
    try:
        return Cost.model_validate(_over(values, years))
    except ValidationError as error:
        raise InputError(describe(error, Cost, f"the costs {path}")) from error


def over_years(cost: Cost, years: Decimal | None) -> Cost:
    """The cost over another number of years, if an item of it recurs."""
    if years is None or not cost.recurs:
        return cost
    return Cost.model_validate(cost.model_dump() | {"years": years})


def _over(values: dict[str, Any], years: Decimal | None) -> dict[str, Any]:
    items = values.get("items")
    if years is None or not isinstance(items, list):
        return values
    recurs = any(isinstance(one, dict) and one.get("period", "once") != "once" for one in items)
    return values | {"years": years} if recurs else values


def stated_cost(text: str | None, path: Path | None) -> Cost | None:
    """The cost that `--cost` or `--costs` states; raises InputError if both do."""
    if text is not None and path is not None:
        raise InputError("--cost and --costs exclude each other; give one of them")
    if path is not None:
        return load_costs(path)
    return parse_cost(text) if text is not None else None
