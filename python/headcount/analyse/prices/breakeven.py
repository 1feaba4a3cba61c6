"""From how many users on one configuration is cheaper than another.

Both curves are staircases, so they can cross many times: a large server is cheaper than seven small
ones and more expensive than six. The answer is therefore every range of users with the cheaper one
in it. The last range never ends and shows which is cheaper in the long run: if one has the lower
price per user, its lead grows beyond one step of the other.
"""

from collections.abc import Iterator
from decimal import Decimal, localcontext
from itertools import pairwise

from pydantic import Field

from headcount.analyse.prices.configuration import Configuration
from headcount.analyse.prices.fleet import systems
from headcount.bundle.level import Record
from headcount.plan.money import CONTEXT, ceiling

MOST_EDGES = 20_000
"""Most edges of steps that are compared. Configurations with nearly the same price per user cross
for longer; the answer then ends where it was cut, and says so."""


class Stretch(Record):
    """Users from `first_users` to `last_users`, both included, and who is cheaper for them."""

    first_users: int
    last_users: int | None = Field(description="Null where it never ends")
    cheaper: str | None = Field(description="The cheaper configuration; null if both cost the same")


class BreakEven(Record):
    """Who of two configurations is cheaper, for every number of users."""

    first: str
    second: str
    stretches: tuple[Stretch, ...] = Field(description="From 1 user on, without a gap")
    complete: bool = Field(
        description="Whether the last stretch never ends; false if the cost curves keep crossing"
    )

    def from_users(self, name: str) -> int | None:
        """The fewest users for whom the named one is cheaper; None if there is no such number."""
        return next((one.first_users for one in self.stretches if one.cheaper == name), None)

    def always_from(self, name: str) -> int | None:
        """The number of users from which the named one is always cheaper; None if there is none."""
        last = self.stretches[-1]
        return last.first_users if self.complete and last.cheaper == name else None


def break_even(
    first: Configuration, second: Configuration, headroom: Decimal = Decimal(0), spare: int = 0
) -> BreakEven:
    """Compare two configurations for every number of users; each needs a price.

    Args:
        first: One configuration.
        second: The other, with another name.
        headroom: Share of each system's capacity that is kept free.
        spare: Systems of each beyond those that the users need.

    """
    usable = first.usable(headroom), second.usable(headroom)
    settled = _settled(first, second, usable, spare)
    found: list[Stretch] = []
    starts = list(_starts(usable, settled))
    for at, following in pairwise([*starts, None]):
        assert at is not None
        costs = [
            one.amount(systems(at, each) + spare)
            for one, each in zip((first, second), usable, strict=True)
        ]
        cheaper = None
        if costs[0] != costs[1]:
            cheaper = first.name if costs[0] < costs[1] else second.name
        last = following - 1 if following is not None else None
        if found and found[-1].cheaper == cheaper:
            found[-1] = _stretch(found[-1].first_users, last, cheaper)
        else:
            found.append(_stretch(at, last, cheaper))
    complete = settled is not None and starts[-1] >= settled
    if not complete:
        found = _cut(found, starts[-1])
    return BreakEven(
        first=first.name, second=second.name, stretches=tuple(found), complete=complete
    )


def _stretch(first_users: int, last_users: int | None, cheaper: str | None) -> Stretch:
    return Stretch(first_users=first_users, last_users=last_users, cheaper=cheaper)


def _starts(usable: tuple[int, int], settled: int | None) -> Iterator[int]:
    """The numbers of users at which a step begins, up to the first at or after `settled`."""
    at = 1
    for _ in range(MOST_EDGES):
        yield at
        if settled is not None and at >= settled:
            return
        at = min((at - 1) // each * each + each + 1 for each in usable)


def _settled(
    first: Configuration, second: Configuration, usable: tuple[int, int], spare: int
) -> int | None:
    """A number of users from which one configuration stays cheaper; None if there is none.

    With prices c, users u of a system and shared parts s, n users cost at least s + c n / u and
    less than s + c (n / u + 1), spares apart. So the one with the lower c / u is always cheaper
    from n = (its s + its c - the other's s) / (the other's c / u - its c / u) on.
    """
    assert first.each is not None
    assert second.each is not None
    with localcontext(CONTEXT):
        slopes = first.each / usable[0], second.each / usable[1]
        if slopes[0] == slopes[1]:
            return _parallel(first, second, usable)
        low, high = (first, second) if slopes[0] < slopes[1] else (second, first)
        assert low.each is not None
        assert high.each is not None
        ahead = low.amount(spare + 1) - (high.amount(spare) if spare else high.shared)
        return max(1, ceiling(ahead / abs(slopes[0] - slopes[1])) + 1)


def _parallel(first: Configuration, second: Configuration, usable: tuple[int, int]) -> int | None:
    """For equal prices per user: 1 if the steps are the same too, so that nothing ever changes."""
    same = usable[0] == usable[1] and first.each == second.each
    return 1 if same else None


def _cut(found: list[Stretch], last_start: int) -> list[Stretch]:
    """End the stretches before the last edge compared: nothing beyond it was compared."""
    kept = [one for one in found if one.first_users < last_start]
    if not kept:
        return [_stretch(1, 1, found[0].cheaper)]
    return [*kept[:-1], _stretch(kept[-1].first_users, last_start - 1, kept[-1].cheaper)]
