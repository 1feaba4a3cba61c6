"""The cost curve: what a configuration costs for a number of users, which is a staircase.

Servers are whole: one user more than a server is given takes another server. A curve is for charts,
a list of steps for tables. Neither is smoothed, because nothing can be bought between two steps.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from headcount.analyse.prices.configuration import Configuration
from headcount.analyse.prices.fleet import systems
from headcount.bundle.level import Record
from headcount.plan.money import Exact

MOST_STEPS = 2_000
"""Most steps of a curve: as many as a large chart has pixels. A longer one is cut there, and shows
that by ending before the users asked for."""


class Step(Record):
    """From `first_users` to `last_users`, both included, so many systems at one price."""

    first_users: int
    last_users: int
    systems: int
    amount: Exact


def steps(
    configuration: Configuration, last_users: int, headroom: Decimal = Decimal(0), spare: int = 0
) -> list[Step]:
    """The steps from 1 user to `last_users`, at most 2,000; the last one ends at `last_users`."""
    usable = configuration.usable(headroom)
    most = min(systems(last_users, usable), MOST_STEPS)
    return [
        Step(
            first_users=(number - 1) * usable + 1,
            last_users=min(number * usable, last_users),
            systems=number + spare,
            amount=configuration.amount(number + spare),
        )
        for number in range(1, most + 1)
    ]


def points(staircase: Iterable[Step]) -> list[tuple[int, Decimal]]:
    """The corners of a staircase, (users, amount), to be joined by straight lines.

    Each step gives its two ends. From one step's last user to the next one's first the line rises:
    one user wide, which looks vertical on any chart.
    """
    return [
        corner
        for step in staircase
        for corner in ((step.first_users, step.amount), (step.last_users, step.amount))
    ]


def per_user(staircase: Sequence[Step]) -> list[tuple[int, Decimal]]:
    """The price per user at both ends of each step: a sawtooth, highest at a step's first user."""
    return [(users, amount / users) for users, amount in points(staircase)]
