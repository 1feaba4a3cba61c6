"""The spreadsheet's charts: native ones, of cells that whoever receives it may change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount.report.export.table import Table

if TYPE_CHECKING:
    from xlsxwriter.workbook import Workbook
    from xlsxwriter.worksheet import Worksheet

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
"""Told apart by the colour-blind, too (Okabe and Ito, "Color Universal Design", 2008)."""
SIZE = {"width": 760, "height": 400}
GRID = {"visible": True, "line": {"color": "#D9D9D9", "width": 0.75}}
ROWS_EACH = 21
"""Rows of a sheet that a chart covers, and one between."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of columns of the chart data.

    Attributes:
        title: What it shows.
        x: The column along the bottom.
        left: Columns on the left axis.
        right: Columns on the right axis.
        left_label: What the left axis counts, with its unit.
        right_label: What the right axis counts.
        about: For those who cannot see it.

    """

    title: str
    x: str
    left: Sequence[str]
    left_label: str
    about: str
    right: Sequence[str] = ()
    right_label: str = ""


CHARTS = (
    Chart(
        "Throughput and CPU against users",
        "users",
        ("achieved_per_s",),
        "Scenarios per second",
        "Completed scenarios per second and the server's CPU, for each number of users.",
        ("server_cpu_share",),
        "CPU of the server",
    ),
    Chart(
        "Response time against users",
        "users",
        ("response_p50_ms", "response_p95_ms", "response_p99_ms", "criterion_ms"),
        "Response time (ms)",
        "Median, 95th and 99th percentile of the response time for each number of users, with the "
        "limit that is asked for.",
    ),
    Chart(
        "Bytes sent and received by the server",
        "users",
        ("read_mb_per_s", "written_mb_per_s"),
        "MB per second",
        "What users read from and wrote to the server, for each number of users.",
    ),
    Chart(
        "CPU of the server against throughput",
        "achieved_per_s",
        ("server_cpu_share",),
        "CPU of the server",
        "CPU of the server for each throughput: where a straight line through it reaches 100 %, "
        "no more can come.",
    ),
)


def add_charts(workbook: "Workbook", sheet: "Worksheet", data: Table) -> None:
    """Put all charts of which there are figures onto a sheet, one below the other."""
    sheet.hide_gridlines(2)
    row = 0
    for one in CHARTS:
        drawn = _drawn(workbook, one, data)
        if drawn is None:
            continue
        sheet.insert_chart(row, 0, drawn, {"description": one.about})
        row += ROWS_EACH
    if not row:
        sheet.write_string(0, 0, "No level that counts has ended yet: there is nothing to draw.")
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 0)
    sheet.set_h_pagebreaks(range(2 * ROWS_EACH, row, 2 * ROWS_EACH))


def _drawn(workbook: "Workbook", one: Chart, data: Table) -> Any:
    """The chart, or None where a side of it has no figure at all."""
    left = [name for name in one.left if _has(data, name)]
    right = [name for name in one.right if _has(data, name)]
    if not left or not _has(data, one.x):
        return None
    chart = workbook.add_chart({"type": "scatter", "subtype": "straight_with_markers"})
    for place, name in enumerate([*left, *right]):
        chart.add_series(_series(one, data, name, place, right=name in right))
    chart.set_title({"name": one.title, "name_font": {"size": 13}})
    x = data.columns[data.column(one.x)]
    chart.set_x_axis({"name": x.label, "min": 0, "major_gridlines": {"visible": False}})
    chart.set_y_axis({"name": one.left_label, "min": 0, "major_gridlines": GRID, **_scale(left[0])})
    if right:
        chart.set_y2_axis({"name": one.right_label, "min": 0, **_scale(right[0])})
    chart.set_legend({"position": "bottom"})
    chart.set_size(SIZE)
    return chart


def _series(one: Chart, data: Table, name: str, place: int, *, right: bool) -> dict[str, Any]:
    at = data.column(name)
    along = data.column(one.x)
    last = len(data.rows)
    colour = COLOURS[place % len(COLOURS)]
    limit = name == "criterion_ms"
    return {
        "name": [data.title, 0, at],
        "categories": [data.title, 1, along, last, along],
        "values": [data.title, 1, at, last, at],
        "y2_axis": right,
        "line": {"color": colour, "width": 2, **({"dash_type": "dash"} if limit else {})},
        "marker": {"type": "none"}
        if limit
        else {
            "type": "diamond" if right else "circle",
            "size": 6,
            "fill": {"color": colour},
            "border": {"color": colour},
        },
    }


def _scale(name: str) -> dict[str, Any]:
    return {"max": 1, "num_format": "0%"} if name.endswith("_share") else {"num_format": "#,##0"}


def _has(data: Table, name: str) -> bool:
    return any(value is not None for value in data.values(name))
