"""The price: its items, their sums, and the price per unit."""

from headcount.report.answer_sentences import price_text, priced
from headcount.report.content import ReportContent
from headcount.report.html.table import Cell, Column, pairs, row, table
from headcount.report.html.table import folded as make_section
from headcount.report.markup import Html, element
from headcount.report.prices.items import PriceTable, items
from headcount.text import unbroken

TITLE = "What it costs"
NOTE = "Stated by the tester, not checked."


def section(content: ReportContent) -> Html | None:
    """Show the price if it was stated as items; a single amount is among the key figures."""
    price = content.verdict.price
    if price is None or not price.items:
        return None
    each = [("Price", unbroken(sentence)) for sentence in priced(content.verdict)]
    system = ("System", unbroken(price_text(content.verdict)))
    found = items(price)
    made = printed_table(found, f"{NOTE} {found.note}".strip())
    return make_section(TITLE, pairs([system, *each]), made)


def printed_table(printed: PriceTable, note: str = "") -> Html:
    """A table of prices, with its sums in bold and a note below."""
    columns = [Column(head, text=at < printed.texts) for at, head in enumerate(printed.heads)]
    first_sum = len(printed.rows) - printed.sums
    rows = [
        row(columns, [_cell(cell, is_sum=number >= first_sum) for cell in cells])
        for number, cells in enumerate(printed.rows)
    ]
    made = table(columns, rows, printed.title or TITLE, "short")
    return element("div", made, element("p", note, class_="note") if note else None)


def _cell(text: str, *, is_sum: bool) -> Cell:
    return element("b", unbroken(text)) if is_sum and text else unbroken(text)
