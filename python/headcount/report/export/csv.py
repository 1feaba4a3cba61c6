"""Tables as CSV: RFC 4180, UTF-8, a point for decimals, names for programs in the first line."""

import csv
import io

from headcount.report.export.table import Table, Value

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What spreadsheets take a cell for a formula by. Servers' answers may begin like that."""


def text(table: Table) -> str:
    """The whole file. A figure that there is not is an empty cell."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\r\n")
    writer.writerow([column.name for column in table.columns])
    writer.writerows([[_cell(value) for value in row] for row in table.rows])
    return made.getvalue()


def _cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA) else value
    return repr(value)
