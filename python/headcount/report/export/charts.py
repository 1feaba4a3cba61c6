"""The spreadsheet's native charts: marks are levels, lines join the median of each load."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount.report.export.table import Table

if TYPE_CHECKING:
    from xlsxwriter.workbook import Workbook
    from xlsxwriter.worksheet import Worksheet

LIMIT = "criterion_ms"
"""The column drawn as a line without marks: no level measured it."""
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
"""Distinct for colour-blind readers, too (Okabe and Ito, "Color Universal Design", 2008)."""
SIZE = {"width": 760, "height": 400}
OF_AGENTS = "In the chart of agents each mark is one agent at one level."
GRID = {"visible": True, "line": {"color": "#D9D9D9", "width": 0.75}}
ABOUT = "Each mark is one level. Lines join the median of the levels at each number of users."
ROWS_EACH = 21
"""Rows of a sheet that a chart covers, plus one between charts."""


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
        about: What it shows, for readers who cannot see it.
        lines: Whether lines join the medians; False if the lower axis does not show users.

    """

    title: str
    x: str
    left: Sequence[str]
    left_label: str
    about: str
    right: Sequence[str] = ()
    right_label: str = ""
    lines: bool = True


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
        "criterion's limit.",
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
        "CPU of the server at the throughput of each level. Where a straight line through the "
        "marks reaches 100%, throughput cannot grow further.",
        lines=False,
    ),
)


AGENTS = Chart(
    "Agents against each other",
    "level_users",
    ("per_user_ratio",),
    "Scenarios per user, of the mean",
    "Each mark is one agent at one level: scenarios of each of its users, as a share of the mean "
    "over the users of all agents, and the CPU of its busiest worker. An agent below the others "
    "is slow; from 80% of CPU on it is full.",
    ("busiest_worker_share",),
    "CPU of the busiest worker",
    lines=False,
)
"""The one chart of the table of agents."""


def add_charts(
    workbook: "Workbook", sheet: "Worksheet", data: Table, lines: Table, agents: Table
) -> None:
    """Put every chart that has figures onto a sheet, one below the other.

    `data` has a row for each level, `lines` one for each number of users, `agents` one for each
    agent at each level.
    """
    sheet.hide_gridlines(2)
    row = 1
    for one in (*CHARTS, AGENTS):
        made = _chart(workbook, one, agents if one is AGENTS else data, lines)
        if made is None:
            continue
        sheet.insert_chart(
            row, 0, made, {"description": one.about if one is AGENTS else f"{one.about} {ABOUT}"}
        )
        row += ROWS_EACH
    about = f"{ABOUT} {OF_AGENTS}" if agents.rows else ABOUT
    sheet.write_string(0, 0, about if row > 1 else "Nothing to draw: no valid level has ended.")
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 0)
    sheet.set_h_pagebreaks(range(2 * ROWS_EACH + 1, row, 2 * ROWS_EACH))


def _chart(workbook: "Workbook", one: Chart, data: Table, lines: Table) -> Any:
    """The chart; None if one of its axes has no figure at all."""
    left = [name for name in one.left if _has(data, name)]
    right = [name for name in one.right if _has(data, name)]
    if not left or not _has(data, one.x):
        return None
    chart = workbook.add_chart({"type": "scatter", "subtype": "straight_with_markers"})
    unnamed: list[int] = []
    series: list[dict[str, Any]] = []
    for place, name in enumerate([*left, *right]):
        if one.lines:
            # A limit has no marks, so its line carries the name in the legend.
            unnamed += [len(series)] if name != LIMIT else []
            series.append(_series(one, lines, name, place, right=name in right, marks=False))
        if name != LIMIT:
            series.append(_series(one, data, name, place, right=name in right, marks=True))
    for each in series:
        chart.add_series(each)
    chart.set_title({"name": one.title, "name_font": {"size": 13}})
    x = data.columns[data.column(one.x)]
    chart.set_x_axis({"name": x.label, "min": 0, "major_gridlines": {"visible": False}})
    chart.set_y_axis({"name": one.left_label, "min": 0, "major_gridlines": GRID, **_scale(left[0])})
    if right:
        chart.set_y2_axis({"name": one.right_label, "min": 0, **_scale(right[0])})
    chart.set_legend({"position": "bottom", "delete_series": unnamed})
    chart.set_size(SIZE)
    return chart


def _series(
    one: Chart, data: Table, name: str, place: int, *, right: bool, marks: bool
) -> dict[str, Any]:
    """The marks of a column, or the line through a column."""
    at = data.column(name)
    along = data.column(one.x)
    last = len(data.rows)
    colour = COLOURS[place % len(COLOURS)]
    line = {"color": colour, "width": 2, **({"dash_type": "dash"} if name == LIMIT else {})}
    return {
        "name": [data.title, 0, at],
        "categories": [data.title, 1, along, last, along],
        "values": [data.title, 1, at, last, at],
        "y2_axis": right,
        "line": {"none": True} if marks else line,
        "marker": {
            "type": "diamond" if right else "circle",
            "size": 6,
            "fill": {"color": colour},
            "border": {"color": colour},
        }
        if marks
        else {"type": "none"},
    }


def _scale(name: str) -> dict[str, Any]:
    if name.endswith("_share"):
        return {"max": 1, "num_format": "0%"}
    return {"num_format": "0.0" if name.endswith("_ratio") else "#,##0"}


def _has(data: Table, name: str) -> bool:
    return any(value is not None for value in data.values(name))
