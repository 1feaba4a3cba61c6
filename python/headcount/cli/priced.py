"""Reads the input of `headcount price`: configurations, users, old servers."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from headcount.bundle import reader
from headcount.errors import InputError
from headcount.fields.units import MOST_USERS
from headcount.plan.cost import Cost, load_costs, over_years, parse_cost
from headcount.plan.money import parse_share
from headcount.text import plural

if TYPE_CHECKING:
    from headcount.analyse.prices.fleet import Need
    from headcount.analyse.prices.price_report import Priced
    from headcount.analyse.prices.pricing import Merger

_STATED = re.compile(r"(?P<name>[^=]+)=(?P<users>\d{1,3}(?:,\d{3})+|\d+)")
OF_PLAN = "plan"
"""Given instead of a price: use the one in the run's own plan."""
MOST_YEARLY_GROWTH = Decimal(10)
"""Elevenfold in a year: nobody can plan years ahead beyond that."""


def configurations(
    what: Sequence[str], cost: Sequence[str], costs: Sequence[Path], years: Decimal | None
) -> "list[Priced]":
    """Each configuration with its price: the given ones in order, or those of the plans."""
    if cost and costs:
        raise InputError("--cost and --costs exclude each other; give one of them")
    given = len(cost) + len(costs)
    if given not in (0, len(what)):
        raise InputError(
            f"{given} prices are given for {plural('configuration', len(what))}; give one for "
            f"each, in their order (--cost {OF_PLAN} for what the run's plan states)"
        )
    prices: list[Cost | str | None] = [None] * len(what)
    if cost:
        prices = [text if text == OF_PLAN else parse_cost(text) for text in cost]
    elif costs:
        prices = [load_costs(path, years) for path in costs]
    names = _names(what)
    return [
        _configuration(text, name, price, years)
        for text, name, price in zip(what, names, prices, strict=True)
    ]


def _names(what: Sequence[str]) -> list[str]:
    """A unique name for each: as given, else the bundle's folder, else its path."""
    given = [text.partition("=")[0] if _is_named(text) else None for text in what]
    short = [name or Path(text).resolve().name for name, text in zip(given, what, strict=True)]
    names = [
        text if name is None and short.count(called) > 1 else called
        for name, called, text in zip(given, short, what, strict=True)
    ]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{twice} is given twice; name them apart: first={twice}")
    return names


def _is_named(text: str) -> bool:
    return "=" in text and not Path(text).exists()


def _configuration(
    text: str, name: str, price: Cost | str | None, years: Decimal | None
) -> "Priced":
    from headcount.analyse.prices.measured import measured, stated
    from headcount.controller import run as controller

    found = _STATED.fullmatch(text)
    if found is not None and not Path(text).exists():
        if price == OF_PLAN:
            raise InputError(f"{name} is stated, so it has no plan; give its price")
        return stated(name, _users(found["users"], name), _over(price, None, years))
    folder = Path(text.partition("=")[2] if _is_named(text) else text)
    bundle = reader.load(folder)
    reader.ensure_run(bundle)
    if bundle.verdict is None:
        judged = controller.with_verdict(bundle)
        bundle = replace(bundle, verdict=judged.verdict)
    return measured(name, bundle, _over(price, bundle.plan.cost, years))


def _over(price: Cost | str | None, of_plan: Cost | None, years: Decimal | None) -> Cost | None:
    """The price to use, over the years that are asked for."""
    cost = price if isinstance(price, Cost) else of_plan
    return over_years(cost, years) if cost is not None else None


def _users(text: str, name: str) -> int:
    users = int(text.replace(",", ""))
    if not 1 <= users <= MOST_USERS * 1000:
        raise InputError(f"{name} holds {plural('user', users)}; state a number above 0")
    return users


def merger(
    replaces: int | None, nodes: int, servers_per_admin: float | None, admin_cost: str | None
) -> "Merger | None":
    """The old servers; None where none are replaced."""
    from headcount.analyse.prices.consolidation import Administration
    from headcount.analyse.prices.pricing import Merger

    if (servers_per_admin is None) != (admin_cost is None):
        raise InputError("--servers-per-admin and --admin-cost belong together; give both")
    if replaces is None:
        if servers_per_admin is not None:
            raise InputError("--servers-per-admin is for --replaces: how many old servers go?")
        return None
    if servers_per_admin is None or admin_cost is None:
        return Merger(replaces, None, nodes)
    cost = parse_cost(admin_cost.replace("/year", ""), "--admin-cost")
    if cost.amount is None:
        raise InputError(f'--admin-cost is "{admin_cost}"; give the cost per year: "100000 USD"')
    paid = Administration(Decimal(str(servers_per_admin)), cost.amount, cost.currency)
    return Merger(replaces, paid, nodes)


def sought(users: int | None, replaces: int | None, users_per_server: int | None) -> int | None:
    """The number of users to hold; None if none was given."""
    if users_per_server is not None:
        if replaces is None:
            raise InputError("--users-per-server is for --replaces: how many old servers go?")
        if users is not None:
            raise InputError("--users and --users-per-server exclude each other; give one of them")
        return replaces * users_per_server
    if replaces is not None and users is None:
        raise InputError(
            "--replaces needs the users of the old servers: --users-per-server, such as 250, or "
            "--users for all of them"
        )
    return users


def headroom(text: str) -> Decimal:
    """The share that is kept free."""
    free = parse_share(text, "--headroom")
    if not 0 <= free < 1:
        raise InputError(f'--headroom is "{text}"; write it like 25%, below 100%')
    return free


def need(users: int, free: Decimal, growth: str, spare: int, years: Decimal | None) -> "Need":
    """The need that a configuration must cover; growth counts only with years."""
    from headcount.analyse.prices.fleet import Need

    grows = parse_share(growth, "--growth")
    if not -1 < grows <= MOST_YEARLY_GROWTH:
        raise InputError(f'--growth is "{growth}"; write it like 20%')
    if grows and years is None:
        raise InputError("--growth is per year; give --years, such as --years 3")
    lasts = years if grows and years is not None else Decimal(0)
    return Need(users=users, headroom=free, growth=grows, years=lasts, spare=spare)


def years_of(years: Decimal | None, configurations: "Sequence[Priced]") -> Decimal | None:
    """The years over which growth counts: as given, or the ones that all prices share."""
    if years is not None:
        return years
    found = {one.price.years for one in configurations if one.price is not None}
    return found.pop() if len(found) == 1 else None
