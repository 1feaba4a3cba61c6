"""A run as a spreadsheet: the answer, native charts, and every table as raw data."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING

import xlsxwriter

from headcount.bundle.reader import Bundle
from headcount.report import failover as failover_words
from headcount.report import tuning as tuning_words
from headcount.report.export import agents, failover, levels, seconds, tuning
from headcount.report.export.chart_data import chart_data, line_data
from headcount.report.export.charts import add_charts
from headcount.report.export.summary import summary_lines
from headcount.report.export.table import Column, Table, Value
from headcount.text import clean

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.workbook import Workbook
    from xlsxwriter.worksheet import Worksheet

MOST_ROWS = 1_048_575
"""Rows of a sheet below its heading: the format's limit."""
MOST_TEXT = 32_767
"""Characters of a cell: the format's limit."""
ANSWER_WIDTH = 100
"""Characters of a line of the answer."""
LINE = 15
"""Height of a line, in points: the format's default."""
WIDEST = 44
"""Greatest width, in characters, of a column that fits its contents."""


def spreadsheet(bundle: Bundle) -> bytes:
    """The whole .xlsx file; the same bundle gives the same bytes."""
    made = BytesIO()
    # Text from a server must not become a formula or a link.
    workbook = xlsxwriter.Workbook(
        made,
        {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False},
    )
    data = chart_data(bundle)
    lines = line_data(data)
    tables = [levels.levels(bundle), levels.scenarios(bundle), levels.counters(bundle)]
    tables.append(seconds.seconds(bundle))
    of_agents = agents.agents(bundle)
    tables += [of_agents] if of_agents.rows else []
    with workbook:
        workbook.set_properties(
            {"title": bundle.plan.workload.title, "author": "Headcount", "created": _begun(bundle)}
        )
        styles = Styles(workbook)
        _answer(workbook, styles, summary_lines(bundle))
        special = _special(bundle)
        if special is None:
            charts = workbook.add_worksheet("Charts")
            for table in (*tables, data, lines):
                _sheet(workbook, styles, table)
            add_charts(workbook, charts, data, lines, of_agents)
        else:  # its levels are no function of users
            title, parts = special
            _stacked(workbook, styles, title, parts)
            for table in tables:
                _sheet(workbook, styles, table)
            tables = [*parts, *tables]
        _columns(workbook, styles, tables)
    return made.getvalue()


def _special(bundle: Bundle) -> tuple[str, list[Table]] | None:
    """What a tuning or a failover came to, with its title; None of any other run."""
    if bundle.tuning is not None:
        return tuning_words.TITLE, tuning.tables(bundle.tuning)
    if bundle.failover is not None:
        return failover_words.TITLE, failover.tables(bundle.failover)
    return None


def _begun(bundle: Bundle) -> datetime:
    """When the run began, in UTC; a fixed day if the bundle does not say."""
    if bundle.environment is None:
        return datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)
    begun = datetime.fromisoformat(bundle.environment.started_at)
    return begun.astimezone(UTC).replace(tzinfo=None)


class Styles:
    """The formats of cells, by the ending of the column's name."""

    def __init__(self, workbook: "Workbook") -> None:
        """Make the formats, which belong to one workbook."""
        self.head = workbook.add_format(
            {"bold": True, "text_wrap": True, "valign": "top", "bottom": 1}
        )
        self.title = workbook.add_format({"bold": True, "font_size": 16})
        self.name = workbook.add_format({"bold": True, "valign": "top"})
        self.text = workbook.add_format({"text_wrap": True, "valign": "top"})
        self.plain = workbook.add_format({})
        self._share = workbook.add_format({"num_format": "0.0%"})
        self._whole = workbook.add_format({"num_format": "#,##0"})
        self._part = workbook.add_format({"num_format": "#,##0.0##"})

    def of(self, column: Column, value: Value) -> "Format":
        """The format of a cell."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return self.plain
        if column.name.endswith("_share") or column.label.endswith("(share)"):
            return self._share
        whole = isinstance(value, int) or "bytes" in column.name or abs(value) >= 1000
        return self._whole if whole else self._part


def _answer(workbook: "Workbook", styles: Styles, lines: Sequence[tuple[str, Value]]) -> None:
    sheet = workbook.add_worksheet("Answer")
    sheet.hide_gridlines(2)
    sheet.set_column(0, 0, 26)
    sheet.set_column(1, 1, ANSWER_WIDTH)
    for place, (name, value) in enumerate(lines):
        if not place:
            _put(sheet, 0, 0, value, styles.title)
            continue
        sheet.write_string(place + 1, 0, name, styles.name)
        _put(sheet, place + 1, 1, value, styles.text)
        # Not every program adjusts the height of a row to wrapped text.
        sheet.set_row(place + 1, LINE * math.ceil(max(len(str(value)), 1) / ANSWER_WIDTH))
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 0)


def _sheet(workbook: "Workbook", styles: Styles, table: Table) -> None:
    """Add a table as a sheet with a frozen heading and filters."""
    sheet = workbook.add_worksheet(table.title)
    for place, column in enumerate(table.columns):
        sheet.write_string(0, place, column.label, styles.head)
        sheet.set_column(place, place, _width(table, place))
    for line, row in enumerate(table.rows[:MOST_ROWS], 1):
        for place, value in enumerate(row):
            _put(sheet, line, place, value, styles.of(table.columns[place], value))
    sheet.freeze_panes(1, min(3, len(table.columns)))
    if table.rows:
        sheet.autofilter(0, 0, min(len(table.rows), MOST_ROWS), len(table.columns) - 1)
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(0)


def _stacked(workbook: "Workbook", styles: Styles, title: str, tables: Sequence[Table]) -> None:
    """Add short tables below each other on one sheet, each with its name."""
    sheet = workbook.add_worksheet(title)
    row = 0
    for table in tables:
        sheet.write_string(row, 0, table.title, styles.name)
        for place, column in enumerate(table.columns):
            sheet.write_string(row + 1, place, column.label, styles.head)
        for line, values in enumerate(table.rows, row + 2):
            for place, value in enumerate(values):
                _put(sheet, line, place, value, styles.of(table.columns[place], value))
        row += len(table.rows) + 3
    for place in range(max(len(table.columns) for table in tables)):
        of_place = [table for table in tables if place < len(table.columns)]
        sheet.set_column(place, place, max(_width(table, place) for table in of_place))
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 0)


def _put(sheet: "Worksheet", row: int, column: int, value: Value, style: "Format") -> None:
    """Write one cell; a missing figure stays empty."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value, style)
    elif isinstance(value, str):
        sheet.write_string(row, column, clean(value)[:MOST_TEXT], style)
    else:
        sheet.write_number(row, column, value, style)


def _width(table: Table, place: int) -> int:
    texts = [row[place] for row in table.rows[:200]]
    longest = max((len(one) for one in texts if isinstance(one, str)), default=0)
    return min(max(longest + 1, 13), WIDEST)


def _columns(workbook: "Workbook", styles: Styles, tables: Sequence[Table]) -> None:
    """What each column is."""
    sheet = workbook.add_worksheet("Columns")
    for place, name in enumerate(("Sheet", "Column", "Name for programs", "What it is")):
        sheet.write_string(0, place, name, styles.head)
    row = 1
    for table in tables:
        for column in table.columns:
            for place, content in enumerate((table.title, column.label, column.name, column.about)):
                sheet.write_string(row, place, content, styles.plain)
            row += 1
    for place, width in enumerate((12, 44, 44, 100)):
        sheet.set_column(place, place, width)
    sheet.freeze_panes(1, 0)
