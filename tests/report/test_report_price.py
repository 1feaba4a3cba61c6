"""The items of a price in a run's reports: on the page, on the terminal, in the document."""

import io

from report_cases import priced
from report_factory import content
from report_page import read
from rich.console import Console

from headcount.report.document.blocks import Table
from headcount.report.document.overview import section
from headcount.report.prices.items import items
from headcount.report.terminal.summary import summary

SUMS = ["6,999.99", "6,317.51", "3,613.50", "16,931.00"]
"""By hand: 7,999.99 x 0.875 = 6,999.99125; 9 x 649.95 x 1.08 = 6,317.514; 0.1375 x 26,280."""


def test_the_page_has_the_items_their_sums_and_the_price_per_user() -> None:
    page = read(priced())
    assert "What it costs" in page.headings
    assert page.row("server")[1:] == ["hardware", "1", "7,999.99 USD", "12.5%", "1", "6,999.99"]
    assert page.row("rack")[3:] == ["0.1375 USD an hour", "", "26,280", "3,613.50"]
    sums = [row[-1] for row in page.rows if row[0] in ("All", "Total")]
    assert sums == SUMS
    text = " ".join(page.texts).replace("\N{NO-BREAK SPACE}", " ")
    assert "One EUR is 1.08 USD." in text
    assert "18.44 USD per user (95% interval 17.69 to 18.44)" in text
    assert "per user and hour" in text
    assert "What it costs" not in read(content()).headings


def test_the_terminal_and_the_document_have_the_items_too() -> None:
    made = priced()
    console = Console(file=io.StringIO(), width=100)
    summary(made.verdict, made.levels, console)
    assert isinstance(console.file, io.StringIO)
    output = console.file.getvalue()
    assert "The price, as stated:" in output
    assert all(amount in output for amount in SUMS)
    tables = [block for block in section(made).blocks if isinstance(block, Table)]
    (table,) = tables
    assert [row.cells[-1].text for row in table.rows if row.total] == SUMS


def test_empty_columns_are_left_out() -> None:
    price = priced().verdict.price
    assert price is not None
    plain = price.model_copy(update={"items": price.items[2:]})
    assert "Discount" not in items(plain).heads
    assert "Discount" in items(price).heads
