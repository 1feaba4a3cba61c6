"""The tables of prices, whatever they are printed on: headings and cells of text."""

from decimal import Decimal

from headcount.analyse.prices.fleet import Fleet
from headcount.analyse.prices.period_words import AGAIN, years_text
from headcount.analyse.prices.price_report import Priced, PriceReport
from headcount.bundle.price import Price
from headcount.plan.money import fine, plain
from headcount.report.answer_sentences import price_interval, price_of
from headcount.report.prices.items import PriceTable, cents, items, known
from headcount.text import DASH, clean, count, plural

MOST_STRETCHES = 12
"""Rows of break-even points that are printed; JSON has all."""


def tables(report: PriceReport) -> list[PriceTable]:
    """All tables of a report, in order; those without rows are left out."""
    found = [
        items(one.price, f"What {clean(one.name)} costs")
        for one in report.configurations
        if one.price and one.price.items
    ]
    found += [_each(report), _fleets(report), _consolidations(report)]
    found += _evens(report)
    return [known(one) for one in found if one.rows]


def _each(report: PriceReport) -> PriceTable:
    """What each configuration costs for each user, mark and request per second."""
    rows: list[list[str]] = []
    for one in report.configurations:
        name, holds, price = clean(one.name), _holds(one), one.price
        whole = DASH if price is None else _whole(price)
        if price is None or not price.each:
            rows.append([name, holds, whole, DASH, DASH])
            continue
        for each in price.each:
            most = "at most " if one.at_least and each.of == "user" else ""
            interval = (price_interval(price.currency, each) or DASH).removeprefix("95% interval ")
            text = f"{most}{fine(each.value, price.currency):,f} per {price_of(each)}"
            rows.append([name, holds, whole, text, interval])
            name = holds = whole = ""
    unit = f", {report.currency}" if report.currency else ""
    heads = ("Configuration", "Users", f"Price{unit}", f"For each{unit}", "95% interval")
    return PriceTable("Price", heads, rows, 1)


def _whole(price: Price) -> str:
    if price.amount is None and price.rate is not None:
        return f"{fine(price.rate.amount, price.currency):,f}{AGAIN[price.rate.period]}"
    return DASH if price.amount is None else cents(price.amount, price.currency)


def _holds(one: Priced) -> str:
    if one.users is None:
        return DASH
    least = "at least " if one.at_least else ""
    return f"{least}{count(one.users)}{' (stated)' if one.source == 'stated' else ''}"


def _fleets(report: PriceReport) -> PriceTable:
    need = report.need
    if need is None:
        return PriceTable("", (), ())
    unit = report.currency or ""
    again = AGAIN[report.basis or "once"]
    rows = [_fleet(one, report.cheapest, unit) for one in report.fleets]
    price = f"Price{again}, {unit}"
    heads = ("Configuration", "Users each", "Systems", price, "95% interval", "Per user")
    return PriceTable(f"For {plural('user', need.most_users)}", heads, rows, 1, _need(report))


def _fleet(one: Fleet, cheapest: str | None, unit: str) -> list[str]:
    interval = DASH
    if one.least_amount is not None and one.most_amount is not None:
        interval = f"{fine(one.least_amount, unit):,f} to {fine(one.most_amount, unit):,f}"
    star = " *" if one.name == cheapest else ""
    return [
        f"{clean(one.name)}{star}",
        count(one.usable),
        count(one.systems),
        DASH if one.amount is None else f"{fine(one.amount, unit):,f}",
        interval,
        DASH if one.per_user is None else f"{fine(one.per_user, unit):,f}",
    ]


def _need(report: PriceReport) -> str:
    """What was asked for, in words."""
    need = report.need
    assert need is not None
    parts = [plural("user", need.users)]
    if need.growth:
        parts.append(f"growing by {_percent(need.growth)} a year for {years_text(need.years)}")
    parts.append(f"headroom {_percent(need.headroom)}" if need.headroom else "no headroom")
    if need.spare:
        parts.append(f"{need.spare:,} spare")
    star = "; * the cheapest" if report.cheapest else ""
    return f"{', '.join(parts)}; whole systems{star}."


def _consolidations(report: PriceReport) -> PriceTable:
    """Old and new servers, and the cost of administering them."""
    rows = []
    for one in report.consolidations:
        unit = one.currency or ""
        name = clean(one.name)
        sides = (
            ("before", one.replaces, one.admins_before, one.yearly_before),
            ("after", one.servers, one.admins_after, one.yearly_after),
        )
        for side, servers, admins, yearly in sides:
            paid = DASH if yearly is None else cents(yearly, unit)
            rows.append([name, side, count(servers), count(admins), paid])
            name = ""
        if one.saving is not None:
            rows.append(["", "saving", "", "", cents(one.saving, unit)])
    unit = next((one.currency for one in report.consolidations if one.currency), "")
    heads = ("Configuration", "When", "Servers", "Administrators", f"A year, {unit}")
    return PriceTable("What replacing servers saves", heads, rows, 2)


def _percent(value: Decimal) -> str:
    return f"{plain(value * 100)}%"


def _evens(report: PriceReport) -> list[PriceTable]:
    """Which of each pair is cheaper, by range of users."""
    found = []
    for one in report.break_evens:
        rows = [
            [
                f"{part.first_users:,}",
                f"{part.last_users:,}" if part.last_users is not None else "no end",
                clean(part.cheaper) if part.cheaper is not None else "the same",
            ]
            for part in one.stretches[:MOST_STRETCHES]
        ]
        left = len(one.stretches) - len(rows)
        note = f"And {plural('more stretch', left)} (--json has all)." if left else ""
        title = f"Cheaper of {clean(one.first)} and {clean(one.second)}"
        found.append(PriceTable(title, ("From users", "To users", "Cheaper"), rows, 0, note))
    return found
