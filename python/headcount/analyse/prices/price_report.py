"""The answer of `headcount price`, for programs: its JSON output."""

from typing import Literal

from pydantic import Field

from headcount.analyse.prices.breakeven import BreakEven
from headcount.analyse.prices.consolidation import Consolidation
from headcount.analyse.prices.curve import Step
from headcount.analyse.prices.fleet import Fleet, Need
from headcount.bundle.level import SCHEMA_VERSION, Record
from headcount.bundle.price import Price
from headcount.plan.cost import Period

ROUNDING = (
    "Amounts are decimal. Each line is rounded half up to the currency's smallest unit, a total "
    "is the sum of rounded lines, and prices per unit are rounded only when printed."
)


class Priced(Record):
    """A configuration: what one system holds, and what it costs."""

    name: str
    source: Literal["measured", "stated"] = Field(description="By a run, or on the command line")
    bundle: str | None = Field(description="The run's folder; null where the capacity was stated")
    users: int | None = Field(description="What one system holds; null if no level passed")
    of: Literal["capacity", "largest level that passed", "stated"] = Field(
        description="What `users` is"
    )
    interval: tuple[float, float] | None = Field(
        description="95% confidence interval of the capacity, in users"
    )
    at_least: bool = Field(description="Whether no level failed")
    price: Price | None = Field(description="Null where no cost was stated")
    doubts: list[str] = Field(description="Of the run, in sentences")


class Curve(Record):
    """The cost of a configuration for any number of users: a staircase."""

    name: str
    steps: list[Step] = Field(description="At most 2,000; the curve ends there")


class PriceReport(Record):
    """The answer of `headcount price`."""

    schema_version: Literal[1] = SCHEMA_VERSION
    currency: str | None = Field(description="Of all prices; null where there is none")
    basis: Period | None = Field(
        description=(
            "What is compared: `once` for one-off prices, otherwise the price for this period"
        )
    )
    configurations: list[Priced]
    need: Need | None = Field(description="What is needed, if users were given")
    fleets: list[Fleet] = Field(description="Of every configuration with a capacity")
    cheapest: str | None = Field(description="The configuration that costs least for the need")
    shown: bool | None = Field(
        description="Whether it is also the cheapest at the ends of the capacities' intervals; "
        "null if an interval is missing"
    )
    break_evens: list[BreakEven] = Field(description="Of each pair of configurations")
    curves: list[Curve]
    consolidations: list[Consolidation]
    sentences: list[str] = Field(description="The answer for people")
    doubts: list[str]
    rounding: str = ROUNDING
