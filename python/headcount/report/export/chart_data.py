"""The data of the spreadsheet's charts: valid levels by users, and lines through them."""

from headcount.bundle.reader import Bundle
from headcount.plan.criteria import parse
from headcount.report.chart.line import medians
from headcount.report.export import levels
from headcount.report.export.table import Column, Table, Value
from headcount.report.selection import by_users

MEGA = 1e6
MS = 1000.0
COLUMNS = (
    Column("users", "Users"),
    Column("achieved_per_s", "Throughput (scenarios/s)"),
    Column("server_cpu_share", "Server CPU (share)"),
    Column("response_p50_ms", "Median (ms)"),
    Column("response_p95_ms", "95th percentile (ms)"),
    Column("response_p99_ms", "99th percentile (ms)"),
    Column("criterion_ms", "Criterion (ms)"),
    Column("read_mb_per_s", "Read by users (MB/s)"),
    Column("written_mb_per_s", "Written by users (MB/s)"),
)


def chart_data(bundle: Bundle) -> Table:
    """A row for each level that counts, from the fewest users up."""
    whole = levels.levels(bundle)
    index = whole.column("level")
    by_index = {row[index]: row for row in whole.rows}
    limit_ms = criterion_ms(bundle)
    rows: list[list[Value]] = []
    for level in by_users([one for one in bundle.levels if one.outcome != "invalid"]):
        row = by_index[level.index]
        head = [row[whole.column(column.name)] for column in COLUMNS[:6]]
        moved = (level.total.read_bytes_per_s / MEGA, level.total.written_bytes_per_s / MEGA)
        rows.append([*head, limit_ms, *moved])
    return Table("chart_data", "Chart data", COLUMNS, rows)


def line_data(data: Table) -> Table:
    """A row for each number of users with the median of its levels, for the lines."""
    users = [float(value) for value in data.values("users") if isinstance(value, int | float)]
    lines = [
        dict(medians([(at, _number(value)) for at, value in zip(users, values, strict=True)]))
        for values in (data.values(column.name) for column in data.columns[1:])
    ]
    rows = [[int(at), *(line.get(at) for line in lines)] for at in sorted(set(users))]
    return Table("chart_lines", "Chart lines", data.columns, rows)


def _number(value: Value) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def criterion_ms(bundle: Bundle) -> float | None:
    """The limit of the first criterion on a percentile of all scenarios; None without one."""
    for text in bundle.plan.workload.criteria:
        criterion = parse(text)
        if criterion.metric == "percentile" and criterion.scenario is None:
            return criterion.limit * MS
    return None
