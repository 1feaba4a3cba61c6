"""The table of the items of a price. Most commands print only this one, if any."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from headcount.analyse.prices.period_words import AGAIN, years_text
from headcount.analyse.prices.total import by_kind
from headcount.bundle.price import Price, PriceItem
from headcount.plan.money import plain, rounded, stated_text
from headcount.text import DASH, clean

ROUNDED = "Lines are rounded half up; totals are sums of rounded lines."


@dataclass(frozen=True, slots=True)
class PriceTable:
    """A table: title, headings and rows.

    Attributes:
        title: Empty if the caller prints its own.
        heads: Headings of the columns.
        rows: Cells, as text.
        texts: How many columns from the left are text; the others are figures.
        note: A note below the table.
        sums: How many rows at the end are sums of those above.

    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int = 1
    note: str = ""
    sums: int = 0


def known(printed: PriceTable) -> PriceTable:
    """The table without columns that have no known value."""
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
    """The items of a price, its sums by kind if there are several, and its total."""
    rows = [_line(one, price) for one in price.items]
    sums = by_kind(price.items)
    if len(sums) > 1:
        rows += [
            ["All", kind, *[""] * 4, cents(part, price.currency)] for kind, part in sums.items()
        ]
    if price.amount is not None:
        rows.append(["Total", *[""] * 5, cents(price.amount, price.currency)])
    over = f"Over {years_text(price.years)}. " if price.years is not None else ""
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
        DASH if item.amount is None else cents(item.amount, price.currency),
    ]


def cents(amount: Decimal, currency: str) -> str:
    """An amount in whole cents, as the cells of tables have it."""
    return f"{rounded(amount, currency):,f}"
