"""A configuration: what one system holds, and what it costs."""

from dataclasses import dataclass
from decimal import Decimal

from headcount.errors import InputError
from headcount.plan.money import exact, floor, product


@dataclass(frozen=True, slots=True)
class Configuration:
    """One system that can be bought as often as needed.

    Attributes:
        name: Its name for people.
        users: How many it holds, at least 1: published by a run, or stated.
        low: Lower bound of the capacity's 95% interval; None if there is none.
        high: Upper bound; None if there is none.
        each: The price of one system; None if no price is known.
        shared: What is paid once, however many systems there are.

    """

    name: str
    users: int
    low: float | None = None
    high: float | None = None
    each: Decimal | None = None
    shared: Decimal = Decimal(0)

    def usable(self, headroom: Decimal, users: float | None = None) -> int:
        """How many users a system is given, with a share of its capacity kept free; at least 1.

        Rounded down: a user is on one server. `users` is its capacity, if not `self.users`. Raises
        InputError if nothing is left.
        """
        holds = exact(float(users)) if users is not None else Decimal(self.users)
        found = floor(product(holds, 1 - headroom))
        if found < 1:
            raise InputError(
                f"{self.name} holds {holds:,f} users, and with a headroom of {headroom * 100:f}% "
                "no users are left; give a smaller --headroom"
            )
        return found

    def amount(self, systems: int) -> Decimal:
        """What this many systems cost; 0 for none. Needs a price."""
        if self.each is None:
            raise InputError(f"{self.name} has no price; state one with --cost or --costs")
        return self.shared + systems * self.each if systems else Decimal(0)
