"""Tables as CSV: RFC 4180, UTF-8, a point for decimals, names for programs in the first line."""

import csv
import io

from headcount.report.export.table import Table, Value
from headcount.text import clean

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What spreadsheets take a cell for a formula by. Servers' answers may begin like that."""


def text(table: Table) -> str:
    """The whole file. A figure that there is not is an empty cell."""
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
    """A name or a server's answer as a cell: it steers no terminal and is no formula.

    Control characters become U+FFFD; a quote stands before what looks like a formula.
    """
    text = clean(text)
    return f"'{text}" if text.startswith(FORMULA) else text
