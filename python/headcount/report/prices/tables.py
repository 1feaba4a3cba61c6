"""The tables of prices, whatever they are printed on: headings and cells of text."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from headcount.analyse.prices.fleet import Fleet
from headcount.analyse.prices.price_report import Priced, PriceReport
from headcount.analyse.prices.price_sentences import AGAIN
from headcount.analyse.prices.total import by_kind
from headcount.bundle.price import Price, PriceItem
from headcount.plan.money import fine, plain, rounded, stated_text
from headcount.report.answer_sentences import price_interval, price_of
from headcount.text import DASH, clean, count, plural

MOST_STRETCHES = 12
"""Rows of break-even points that are printed; JSON has all."""


ROUNDED = "Lines are rounded half up; totals are sums of rounded lines."


@dataclass(frozen=True, slots=True)
class PriceTable:
    """A table: title, headings and rows.

    Attributes:
        title: Empty where whoever prints it has one.
        heads: Of the columns.
        rows: Cells, as text.
        texts: How many columns from the left are text; the others are figures.
        note: Below it.
        sums: How many rows at the end add up those above.

    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int = 1
    note: str = ""
    sums: int = 0


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


def known(printed: PriceTable) -> PriceTable:
    """The table without columns in which nothing is known."""
    kept = [
        index
        for index in range(len(printed.heads))
        if any(row[index] not in ("", DASH) for row in printed.rows)
    ]
    heads = [printed.heads[index] for index in kept]
    rows = [[row[index] for index in kept] for row in printed.rows]
    texts = sum(index < printed.texts for index in kept)
    return PriceTable(printed.title, heads, rows, texts, printed.note, printed.sums)


def items(price: Price, title: str = "") -> PriceTable:
    """The lines of a price, its sums by kind where there are several, and its total."""
    rows = [_line(one, price) for one in price.items]
    sums = by_kind(price.items)
    if len(sums) > 1:
        rows += [
            ["All", kind, *[""] * 4, _cents(part, price.currency)] for kind, part in sums.items()
        ]
    if price.amount is not None:
        rows.append(["Total", *[""] * 5, _cents(price.amount, price.currency)])
    over = f"Over {plain(price.years)} years. " if price.years is not None else ""
    when = f"Prices of {price.priced_on.isoformat()}, as stated. " if price.priced_on else ""
    rounding = "" if price.amount is None else ROUNDED
    note = f"{over}{when}{_rates(price)}{rounding}".strip()
    heads = ("Item", "Kind", "Quantity", "Unit price", "Discount", "Times", f"{price.currency}")
    return known(PriceTable(title, heads, rows, 2, note, len(rows) - len(price.items)))


def _rates(price: Price) -> str:
    """What other currencies are worth, as stated."""
    worth = {one.currency: one.rate for one in price.items if one.currency != price.currency}
    return "".join(
        f"One {currency} is {plain(rate)} {price.currency}. " for currency, rate in worth.items()
    )


def _line(item: PriceItem, price: Price) -> list[str]:
    paid = AGAIN[item.period]
    return [
        clean(item.name) + (" (shared)" if item.shared else ""),
        item.kind,
        plain(item.quantity),
        f"{stated_text(item.unit_price, item.currency)}{paid}",
        f"{plain(item.discount * 100)}%" if item.discount else "",
        DASH if item.times is None else plain(item.times),
        DASH if item.amount is None else _cents(item.amount, price.currency),
    ]


def _cents(amount: Decimal, currency: str) -> str:
    return f"{rounded(amount, currency):,f}"


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
    return DASH if price.amount is None else _cents(price.amount, price.currency)


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
        parts.append(f"growing by {_percent(need.growth)} a year for {plain(need.years)} years")
    parts.append(f"headroom {_percent(need.headroom)}" if need.headroom else "no headroom")
    if need.spare:
        parts.append(f"{need.spare:,} spare")
    star = "; * the cheapest" if report.cheapest else ""
    return f"{', '.join(parts)}; whole systems{star}."


def _consolidations(report: PriceReport) -> PriceTable:
    """Old servers and new ones, and what looking after them takes."""
    rows = []
    for one in report.consolidations:
        unit = one.currency or ""
        name = clean(one.name)
        sides = (
            ("before", one.replaces, one.admins_before, one.yearly_before),
            ("after", one.servers, one.admins_after, one.yearly_after),
        )
        for side, servers, admins, yearly in sides:
            paid = DASH if yearly is None else _cents(yearly, unit)
            rows.append([name, side, count(servers), count(admins), paid])
            name = ""
        if one.saving is not None:
            rows.append(["", "saving", "", "", _cents(one.saving, unit)])
    unit = next((one.currency for one in report.consolidations if one.currency), "")
    heads = ("Configuration", "When", "Servers", "Administrators", f"A year, {unit}")
    return PriceTable("What replacing servers saves", heads, rows, 2)


def _percent(value: Decimal) -> str:
    return f"{plain(value * 100)}%"


def _evens(report: PriceReport) -> list[PriceTable]:
    """Who of each pair is cheaper, stretch by stretch."""
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
        note = f"And {left:,} more stretches (--json has all)." if left else ""
        title = f"Cheaper of {clean(one.first)} and {clean(one.second)}"
        found.append(PriceTable(title, ("From users", "To users", "Cheaper"), rows, 0, note))
    return found
