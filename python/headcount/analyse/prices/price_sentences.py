"""The results of pricing, in sentences."""

from decimal import Decimal

from headcount.analyse.prices.breakeven import BreakEven
from headcount.analyse.prices.consolidation import Consolidation, rounding
from headcount.analyse.prices.fleet import Fleet
from headcount.analyse.prices.period_words import AGAIN, AND
from headcount.analyse.prices.price_report import PriceReport
from headcount.plan.money import each_text, money_text
from headcount.text import plural, share


def sentences(report: PriceReport) -> list[str]:
    """The answer: what holds the users and costs least, the break-even points, and the savings."""
    found = _cheapest(report)
    found += [sentence for one in report.break_evens for sentence in _even(one)]
    found += [sentence for one in report.consolidations for sentence in _consolidated(one, report)]
    return found


def amount_text(amount: Decimal, report: PriceReport) -> str:
    """An amount on the report's basis: `60,000.00 USD`, `0.34 USD an hour`."""
    unit = report.currency or ""
    if report.basis is None or report.basis == "once":
        return money_text(amount, unit)
    return f"{each_text(amount, unit)}{AGAIN[report.basis]}"


def _cheapest(report: PriceReport) -> list[str]:
    if report.need is None or (report.cheapest is None and report.consolidations):
        return []
    users = plural("user", report.need.most_users)
    if report.cheapest is None:
        return [
            f"{one.name}: {plural('system', one.systems)} for {users}{_paid(one, report)}."
            for one in report.fleets
        ]
    best, *others = sorted(
        (one for one in report.fleets if one.amount is not None),
        key=lambda one: (one.amount or Decimal(0), one.systems),
    )
    text = (
        f"The cheapest configuration that holds {users} is {best.name}: "
        f"{plural('system', best.systems)}{_paid(best, report)}."
    )
    if others[0].amount == best.amount:
        tied = ", ".join(one.name for one in others if one.amount == best.amount)
        return [text, f"{tied} costs the same with as many or more systems."]
    assert best.amount is not None
    assert others[0].amount is not None
    more = amount_text(others[0].amount - best.amount, report)
    next_best = (
        f"Next is {others[0].name}, {more} more expensive ({plural('system', others[0].systems)})."
    )
    return [text, next_best, *_sure(report)]


def _sure(report: PriceReport) -> list[str]:
    texts = {
        True: "That also holds at the ends of the capacities' intervals.",
        False: "Within the capacities' intervals, another one may be as cheap.",
        None: "Not every capacity has an interval, so the confidence is not known.",
    }
    return [texts[report.shown]]


def _paid(one: Fleet, report: PriceReport) -> str:
    if one.amount is None or one.per_user is None:
        return ""
    each = each_text(one.per_user, report.currency or "")
    return f", {amount_text(one.amount, report)}, {each} per user{AND[report.basis or 'once']}"


def _even(one: BreakEven) -> list[str]:
    """From how many users each of a pair is cheaper, and which one is in the long run."""
    first, second = one.from_users(one.first), one.from_users(one.second)
    if first is None and second is None:
        return [f"{one.first} and {one.second} always cost the same."]
    if first is None or second is None:
        better, worse = (one.second, one.first) if first is None else (one.first, one.second)
        ties = any(stretch.cheaper is None for stretch in one.stretches)
        text = f"never more expensive than {worse}" if ties else f"always cheaper than {worse}"
        return [f"{better} is {text}."]
    earlier, later = (one.first, one.second) if second > first else (one.second, one.first)
    return [_crossing(one, earlier, later, max(first, second))]


def _crossing(one: BreakEven, earlier: str, later: str, at: int) -> str:
    """For how many users the later one is cheaper for the first time, and which one is for good."""
    until = next(part.last_users for part in one.stretches if part.first_users == at)
    always, back = one.always_from(later), one.always_from(earlier)
    if until is None:
        return f"{later} is cheaper than {earlier} from {plural('user', at)} on."
    text = f"{later} is cheaper than {earlier} from {at:,} to {plural('user', until)}"
    if always is not None:
        return f"{text}, and always from {always:,} on."
    if back is not None:
        return f"{text}; in the end {earlier} is, always from {back:,} on."
    return f"{text}; beyond that, the cheaper one keeps changing."


def _consolidated(one: Consolidation, report: PriceReport) -> list[str]:
    servers = f"{plural('server', one.servers)} {'holds' if one.servers == 1 else 'hold'}"
    old = f"{one.replaces:,} old {'one' if one.replaces == 1 else 'ones'}"
    held = (
        f"{one.name}: {servers} the {plural('user', one.users)} of {old} "
        f"({one.per_server:,.1f} old to a new one; {plural('system', one.systems)}, each with "
        f"{plural('user', one.usable)})."
    )
    parts = [held]
    if one.saving is None or one.yearly_before is None or one.yearly_after is None:
        return parts
    unit = one.currency or report.currency or ""
    before, after = (money_text(each, unit) for each in (one.yearly_before, one.yearly_after))
    size = money_text(abs(one.saving), unit)
    word = "saves" if one.saving >= 0 else "costs"
    part = share(float(abs(one.saving) / one.yearly_before)) if one.yearly_before else "0%"
    rounded = rounding(abs(one.saving))
    people = f"{one.admins_before:,} {'person' if one.admins_before == 1 else 'people'}"
    parts.append(
        f"Administration takes {people} for {before} a year before, "
        f"{one.admins_after:,} for {after} after: that {word} {size} a year, {part} of it"
        f"{f' ({rounded})' if rounded else ''}."
    )
    if one.pays_back_years is not None:
        parts.append(
            f"The new servers, {money_text(one.amount or Decimal(0), unit)}, pay for themselves "
            f"after {one.pays_back_years:,.1f} years."
        )
    return parts
