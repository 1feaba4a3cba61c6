"""The answer of `headcount price`: prices, the cheapest for a number of users, break-even."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations

from headcount.analyse.prices.basis import basis, configuration, currency
from headcount.analyse.prices.breakeven import BreakEven, break_even
from headcount.analyse.prices.configuration import Configuration
from headcount.analyse.prices.consolidation import Administration, Consolidation, consolidate
from headcount.analyse.prices.curve import steps
from headcount.analyse.prices.fleet import Fleet, Need, fleet
from headcount.analyse.prices.price_report import Curve, Priced, PriceReport
from headcount.analyse.prices.price_sentences import sentences
from headcount.errors import InputError
from headcount.plan.cost import Period
from headcount.text import plural

CURVE = 2
"""Range of a curve as a multiple of the users needed, so that it shows what lies beyond."""
SYSTEMS = 10
"""Without a need, its range as a multiple of the largest system's users."""


@dataclass(frozen=True, slots=True)
class Merger:
    """Old servers that are to be replaced.

    Attributes:
        replaces: Number of old servers.
        administration: The cost of administration; None to leave it out.
        nodes: Servers that make up one new system.

    """

    replaces: int
    administration: Administration | None = None
    nodes: int = 1


def report(
    configurations: Sequence[Priced],
    need: Need | None = None,
    merger: Merger | None = None,
    headroom: Decimal = Decimal(0),
) -> PriceReport:
    """Compare prices, and for a need find what holds it and costs least.

    Args:
        configurations: At least one, each with a different name.
        need: The users to hold; with a merger, those of the old servers.
        merger: Old servers to replace; takes a need.
        headroom: Headroom of the break-even points without a need; else the need's own counts.

    """
    prices = [one.price for one in configurations if one.price is not None]
    unit, on = currency(prices), basis(prices)
    known = [found for one in configurations if (found := configuration(one, on)) is not None]
    fleets = [fleet(one, need) for one in known] if need is not None else []
    bought = [one for one in fleets if one.amount is not None]
    best = min(bought, key=lambda one: (one.amount, one.systems), default=None)
    free, spare = (need.headroom, need.spare) if need is not None else (headroom, 0)
    priced = [one for one in known if one.each is not None]
    evens = [break_even(one, other, free, spare) for one, other in combinations(priced, 2)]
    last = _last_users(need, known, free)
    made = PriceReport(
        currency=unit,
        basis=on,
        configurations=list(configurations),
        need=need,
        fleets=fleets,
        cheapest=best.name if best is not None and len(bought) > 1 else None,
        shown=_shown(best, bought) if best is not None else None,
        break_evens=evens,
        curves=[Curve(name=one.name, steps=steps(one, last, free, spare)) for one in priced],
        consolidations=_consolidations(known, unit, on, need, merger),
        sentences=[],
        doubts=_doubts(configurations, evens),
    )
    return made.model_copy(update={"sentences": sentences(made)})


def _last_users(need: Need | None, known: Sequence[Configuration], headroom: Decimal) -> int:
    """Where curves end."""
    if need is not None:
        return CURVE * need.most_users
    return SYSTEMS * max((one.usable(headroom) for one in known), default=1)


def _shown(best: Fleet, bought: Sequence[Fleet]) -> bool | None:
    """Whether the cheapest one at its highest costs less than every other one at its lowest."""
    others = [one for one in bought if one is not best]
    if not others:
        return None
    least = [one.least_amount for one in others]
    if best.most_amount is None or any(amount is None for amount in least):
        return None
    return all(best.most_amount < amount for amount in least if amount is not None)


def _consolidations(
    known: Sequence[Configuration],
    unit: str | None,
    on: Period | None,
    need: Need | None,
    merger: Merger | None,
) -> list[Consolidation]:
    if merger is None or need is None:
        return []
    paid = merger.administration
    if paid is not None and unit is not None and paid.currency != unit:
        raise InputError(
            f"prices are in {unit} and --admin-cost is in {paid.currency}; state both in one"
        )
    if on != "once":  # a rate does not pay for servers
        known = [replace(one, each=None) for one in known]
    return [consolidate(one, merger.replaces, need, paid, merger.nodes) for one in known]


def _doubts(configurations: Sequence[Priced], evens: Sequence[BreakEven]) -> list[str]:
    found = [f"{one.name}: {doubt}" for one in configurations for doubt in one.doubts]
    for one in configurations:
        if not one.users:
            found.append(f"{one.name}: no level passed, so its capacity is not known")
        elif one.at_least:
            found.append(
                f"{one.name}: it holds at least {plural('user', one.users)}, so fewer systems may "
                "be enough"
            )
    years = {one.price.years for one in configurations if one.price is not None}
    if len(years) > 1:
        found.append("some prices cover a number of years and others do not")
    found += [
        f"{one.first} and {one.second}: costs were compared only up to "
        f"{one.stretches[-1].last_users:,} users"
        for one in evens
        if not one.complete
    ]
    return found
