"""The table of levels, as many of its columns as the console is wide enough for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from headcount.bundle.environment import EnvironmentFile
from headcount.bundle.level import LevelResult
from headcount.report.resources import CPU, Resources, is_over_loopback, resources
from headcount.report.selection import by_users, counter_mean, errors_share
from headcount.report.terminal.glyphs import BLOCKS, glyphs, writable
from headcount.report.wording import PURPOSE
from headcount.text import DASH, count, duration, megabytes_per_s, memory, share, significant

_PADDING = 2
_STYLE = {"passed": "green", "failed": "red", "invalid": "yellow"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: how it is filled, and how soon it goes when there is no room (0: never)."""

    heading: str
    cell: Callable[[LevelResult], str]
    goes: int
    left: bool = False


def _percentile(name: str) -> Callable[[LevelResult], str]:
    def cell(level: LevelResult) -> str:
        response = level.total.response
        if response is None:
            return duration(None)
        return duration(
            {"p50": response.p50_ms, "p95": response.p95_ms, "p99": response.p99_ms}[name]
        )

    return cell


def _overload(level: LevelResult) -> str:
    return share(level.total.overload)


_PLAYED = (
    Column("Users", lambda level: count(level.users), 0),
    Column("Purpose", lambda level: PURPOSE[level.purpose], 6, left=True),
    Column("Outcome", lambda level: level.outcome, 0, left=True),
    Column("Offered/s", lambda level: significant(level.offered_per_s), 3),
    Column("Done/s", lambda level: significant(level.achieved_per_s), 11),
    Column("p50", _percentile("p50"), 9),
    Column("p95", _percentile("p95"), 0),
    Column("p99", _percentile("p99"), 8),
    Column("Overload", _overload, 10),
    Column("Errors", lambda level: count(level.total.failed), 7),
    Column("Errors %", lambda level: share(errors_share(level.total)), 1),
    Column("CPU", lambda level: share(counter_mean(level, CPU)), 12),
)
_STEADY = Column("Steady", lambda level: "yes" if level.steadiness.steady else "NO", 7, left=True)


def _megabytes(value_bytes_per_s: float | None) -> str:
    return megabytes_per_s(value_bytes_per_s).removesuffix(" MB/s")


def _used(levels: Sequence[LevelResult], environment: EnvironmentFile | None) -> list[Column]:
    """Make the columns of the server's resources that any level has a figure for.

    Without the environment it is not known over which interface the load came, and so the network
    is left out.
    """
    loopback = is_over_loopback(environment)

    def used(level: LevelResult) -> Resources:
        return resources(level, loopback=loopback)

    columns = [
        Column("Memory", lambda level: memory(used(level).memory_bytes), 2),
        Column("Disk MB/s", lambda level: _megabytes(used(level).disk_bytes_per_s), 4),
    ]
    if environment is not None:
        columns.append(
            Column("Net MB/s", lambda level: _megabytes(used(level).network_bytes_per_s), 5)
        )
    return [one for one in columns if any(one.cell(level) != DASH for level in levels)]


def table(
    levels: Sequence[LevelResult], console: Console, environment: EnvironmentFile | None = None
) -> Table:
    """Make the table; columns that matter least go first where there is no room."""
    return fitted([*_PLAYED, *_used(levels, environment), _STEADY], levels, console)


def fitted(columns: Sequence[Column], levels: Sequence[LevelResult], console: Console) -> Table:
    """Make a table of levels, of as many of the columns as the console is wide enough for."""
    columns = list(columns)
    while _width(columns, levels) > console.width and any(column.goes for column in columns):
        first = min((column for column in columns if column.goes), key=lambda column: column.goes)
        columns.remove(first)
    # Rich's stand-in for a console without box characters has upright rules, which need room.
    box = SIMPLE_HEAD if glyphs(console) is BLOCKS else None
    made = Table(box=box, padding=(0, _PADDING, 0, 0), pad_edge=False, show_edge=False)
    for column in columns:
        made.add_column(
            column.heading,
            justify="left" if column.left else "right",
            no_wrap=True,
            overflow="crop",
        )
    for level in by_users(levels):
        made.add_row(*(_cell(column, level, console) for column in columns))
    return made


def _cell(column: Column, level: LevelResult, console: Console) -> Text:
    style = _STYLE[level.outcome] if column.heading == "Outcome" else ""
    if level.outcome == "invalid" and not style:
        style = "dim"
    return Text(writable(column.cell(level), console), style=style)


def _width(columns: Sequence[Column], levels: Sequence[LevelResult]) -> int:
    return sum(
        max(len(text) for text in (column.heading, *(column.cell(level) for level in levels)))
        + _PADDING
        + 1  # the rule between columns, though it is blank
        for column in columns
    )
