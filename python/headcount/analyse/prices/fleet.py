"""How many systems hold so many users: whole ones, with headroom, growth and spares."""

from dataclasses import dataclass
from decimal import Decimal, localcontext

from headcount.analyse.prices.configuration import Configuration
from headcount.plan.money import CONTEXT, ceiling


@dataclass(frozen=True, slots=True)
class Need:
    """What the systems are bought for.

    Attributes:
        users: Today's, at least 1.
        headroom: Share of each system's capacity that is kept free, from 0 to below 1.
        growth: Share by which users grow in a year; negative if they become fewer.
        years: For so long the systems must do.
        spare: Systems beyond those that the users need.

    """

    users: int
    headroom: Decimal = Decimal(0)
    growth: Decimal = Decimal(0)
    years: Decimal = Decimal(0)
    spare: int = 0

    @property
    def most_users(self) -> int:
        """The most users within the years: users x (1 + growth)^years, rounded up.

        They grow evenly, so that is at the end, or today where they become fewer.
        """
        with localcontext(CONTEXT):
            grown = self.users * (1 + self.growth) ** self.years
        return max(self.users, ceiling(grown))


@dataclass(frozen=True, slots=True)
class Fleet:
    """The systems of a configuration that a need takes.

    Attributes:
        name: The configuration's.
        usable: Users that each system is given.
        systems: How many there are, spares included.
        fewest: Were the capacity the upper bound of its interval; None where there is no interval.
        most: Were it the lower bound; None likewise.
        amount: What they cost; None where no price is known.
        least_amount: What the fewest cost.
        most_amount: What the most cost.

    """

    name: str
    usable: int
    systems: int
    fewest: int | None
    most: int | None
    amount: Decimal | None
    least_amount: Decimal | None
    most_amount: Decimal | None


def systems(users: int, usable: int) -> int:
    """Whole systems for so many users, each given at most `usable`."""
    return -(-users // usable)


def fleet(configuration: Configuration, need: Need) -> Fleet:
    """The systems for a need, and how many they would be at the ends of the capacity's interval.

    A lower bound too small to be given anybody has no number of systems, and so no most.
    """
    usable = configuration.usable(need.headroom)
    number = systems(need.most_users, usable) + need.spare
    fewest = _at(configuration, need, configuration.high)
    most = _at(configuration, need, configuration.low)
    return Fleet(
        configuration.name,
        usable,
        number,
        fewest,
        most,
        *(_amount(configuration, many) for many in (number, fewest, most)),
    )


def _at(configuration: Configuration, need: Need, capacity: float | None) -> int | None:
    """The systems at a bound of the capacity; None where there is no bound, or it holds nobody."""
    if capacity is None or capacity * float(1 - need.headroom) < 1:
        return None
    usable = configuration.usable(need.headroom, capacity)
    return systems(need.most_users, usable) + need.spare


def _amount(configuration: Configuration, number: int | None) -> Decimal | None:
    if number is None or configuration.each is None:
        return None
    return configuration.amount(number)
