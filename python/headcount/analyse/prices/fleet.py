"""How many systems hold a number of users: whole ones, with headroom, growth and spares."""

from decimal import Decimal, localcontext

from pydantic import Field

from headcount.analyse.prices.configuration import Configuration
from headcount.bundle.level import Record
from headcount.plan.money import CONTEXT, Exact, ceiling, quotient


class Need(Record):
    """What the systems are bought for."""

    users: int = Field(ge=1, description="Today's")
    headroom: Exact = Field(
        default=Decimal(0), ge=0, lt=1, description="Share of a system's capacity that is kept free"
    )
    growth: Exact = Field(
        default=Decimal(0), gt=-1, description="Share by which users grow in a year"
    )
    years: Exact = Field(default=Decimal(0), ge=0, description="How long the systems must last")
    spare: int = Field(default=0, ge=0, description="Systems beyond those the users need")

    @property
    def most_users(self) -> int:
        """The most users within the years: users x (1 + growth)^years, rounded up.

        Growth is constant, so that is at the end, or today if the users become fewer.
        """
        with localcontext(CONTEXT):
            grown = self.users * (1 + self.growth) ** self.years
        return max(self.users, ceiling(grown))


class Fleet(Record):
    """The systems of a configuration that a need takes."""

    name: str = Field(description="The configuration's")
    usable: int = Field(description="Users for each system")
    systems: int = Field(description="How many there are, spares included")
    fewest: int | None = Field(description="At the upper bound of the capacity's interval")
    most: int | None = Field(description="At the lower bound")
    amount: Exact | None = Field(description="What they cost; null where no price is known")
    least_amount: Exact | None = Field(description="What the fewest cost")
    most_amount: Exact | None = Field(description="What the most cost")
    per_user: Exact | None = Field(description="`amount` divided by the users needed")


def systems(users: int, usable: int) -> int:
    """Whole systems for this many users, each given at most `usable`."""
    return -(-users // usable)


def fleet(configuration: Configuration, need: Need) -> Fleet:
    """The systems for a need, and how many they would be at the ends of the capacity's interval.

    If the lower bound is too small for a single user, the upper number of systems is unknown.
    """
    usable = configuration.usable(need.headroom)
    number = systems(need.most_users, usable) + need.spare
    fewest = _at(configuration, need, configuration.high)
    most = _at(configuration, need, configuration.low)
    amount, least, dearest = (_amount(configuration, many) for many in (number, fewest, most))
    return Fleet(
        name=configuration.name,
        usable=usable,
        systems=number,
        fewest=fewest,
        most=most,
        amount=amount,
        least_amount=least,
        most_amount=dearest,
        per_user=quotient(amount, Decimal(need.most_users)) if amount is not None else None,
    )


def _at(configuration: Configuration, need: Need, capacity: float | None) -> int | None:
    """The systems at a bound of the capacity; None if there is no bound, or it holds nobody."""
    if capacity is None or capacity * float(1 - need.headroom) < 1:
        return None
    usable = configuration.usable(need.headroom, capacity)
    return systems(need.most_users, usable) + need.spare


def _amount(configuration: Configuration, number: int | None) -> Decimal | None:
    if number is None or configuration.each is None:
        return None
    return configuration.amount(number)
