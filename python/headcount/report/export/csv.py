"""Tables as CSV: RFC 4180, UTF-8, a point for decimals, names for programs in the first line."""

import csv
import io

from headcount.report.export.table import Table, Value
from headcount.text import clean

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""First characters of formulas in spreadsheets. Answers of servers may begin with them."""


def text(table: Table) -> str:
    """The text of the file. A missing figure is an empty cell."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\r\n")
    writer.writerow([plain_cell(column.name) for column in table.columns])
    writer.writerows([[_cell(value) for value in row] for row in table.rows])
    return made.getvalue()


def _cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return plain_cell(value)
    return repr(value)


def plain_cell(text: str) -> str:
    """A name or a server's answer as a cell that neither controls a terminal nor is a formula.

    Control characters become U+FFFD; what looks like a formula gets a quote in front.
    """
    text = clean(text)
    return f"'{text}" if text.startswith(FORMULA) else text
