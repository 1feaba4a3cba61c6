"""Sentences and names that all reports share."""

import math
from collections.abc import Sequence

from headcount.analyse.prices.period_words import years_text
from headcount.bundle.level import LevelResult
from headcount.bundle.price import PriceEach
from headcount.bundle.verdict import Capacity, Verdict
from headcount.plan.money import each_text, fine, money_text
from headcount.text import count, interval, plural, span

PURPOSE = {
    "only": "single level",
    "ladder": "ladder",
    "climb": "on the way up",
    "probe": "probe",
    "bracket": "bracket",
    "straddle": "straddle",
    "official": "official",
    "recovery": "after an overload",
    "curve": "curve",
    "soak": "soak",
}
"""Names of the purposes of levels."""


def confidence(capacity: Capacity | None) -> str | None:
    """One sentence on how sure the capacity is; None if there is nothing to say."""
    if capacity is None:
        return None
    parts = []
    if capacity.low is not None and capacity.high is not None:
        # Rounded outwards, as in the verdict's sentence: the users quoted are within the interval.
        bounds = interval(math.floor(capacity.low), math.ceil(capacity.high))
        parts.append(f"95% confidence interval {bounds} users")
    if capacity.at_least:
        parts.append("no upper end")
    elif capacity.estimate is not None:
        parts.append(f"estimate {count(capacity.estimate)}")
    if capacity.binding is not None:
        parts.append(f"limited by {capacity.binding}")
    if capacity.users is not None:
        parts.append(_confirmed(capacity, capacity.users))
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else None


def _confirmed(capacity: Capacity, users: int) -> str:
    """Which level confirmed the number, if one was run for that."""
    if not capacity.official_passed:
        return f"not confirmed by a full level at {plural('user', users)}"
    length = f"{span(capacity.level_s)} " if capacity.level_s else ""
    return f"confirmed by a {length}level at {plural('user', users)}"


def flattening(verdict: Verdict) -> Sequence[str]:
    """Sentences on where the curves of a ladder flattened out, or that they did not."""
    names = {"scenarios": "Scenarios/s", "bytes": "Bytes/s"}
    return [
        f"{names[each.figure]}: {each.sentence}"
        for each in verdict.plateaus
        if each.sentence != verdict.sentence
    ]


def objections(level: LevelResult) -> Sequence[str]:
    """Why a level did not pass, and anything else that speaks against it; each once."""
    unsteady = [] if level.steadiness.steady else level.steadiness.reasons
    return list(dict.fromkeys([*level.reasons, *unsteady]))


def judged(verdict: Verdict) -> str | None:
    """Which rule of the workload judged; None if its default or the user's criteria did."""
    return f'Judged by the rule "{verdict.rule}" of the workload.' if verdict.rule else None


def priced(verdict: Verdict) -> list[str]:
    """The price per user and per mark, one sentence each.

    If the capacity is "at least" so many users, the divisor is a lower bound, so the price per user
    is an upper bound.
    """
    price, capacity = verdict.price, verdict.capacity
    at_most = "user" if capacity is not None and capacity.at_least else ""
    if price is None:
        return []
    return [price_each(price.currency, each, at_most=each.of == at_most) for each in price.each]


def price_each(currency: str, each: PriceEach, *, at_most: bool) -> str:
    """A price per unit with its interval; `at_most` if it is an upper bound."""
    bound = "at most " if at_most else ""
    text = f"{bound}{each_text(each.value, currency)} per {price_of(each)}"
    interval = price_interval(currency, each)
    return f"{text} ({interval})" if interval else text


def price_of(each: PriceEach) -> str:
    """The unit of a price: `user`, or `user and hour` for rented systems."""
    return each.of if each.period == "once" else f"{each.of} and {each.period}"


def price_interval(currency: str, each: PriceEach) -> str | None:
    """The interval of a price per unit; None without one."""
    if each.interval is None:
        return None
    low, high = (f"{fine(bound, currency):,f}" for bound in each.interval)
    return f"95% interval {low} to {high}"


def price_text(verdict: Verdict) -> str:
    """The price of the system as it was stated."""
    price = verdict.price
    if price is None:
        return ""
    parts = []
    if price.amount is not None:
        over = f" over {years_text(price.years)}" if price.years is not None else ""
        parts.append(f"{money_text(price.amount, price.currency)}{over}")
    if price.rate is not None:
        parts.append(f"{each_text(price.rate.amount, price.currency)} per {price.rate.period}")
    return f"a system of {', or '.join(parts)}, as stated"
