"""The table of levels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console, Group
from rich.text import Text

from headcount.analyse.time_text import Name, time_text
from headcount.bundle.environment import EnvironmentFile
from headcount.bundle.level import LevelResult
from headcount.report.answer_sentences import PURPOSE
from headcount.report.resources import CPU, Resources, is_over_loopback, resources
from headcount.report.selection import by_users, counter_mean, errors_share
from headcount.report.terminal.glyphs import writable
from headcount.report.terminal.parts import tables
from headcount.text import DASH, count, megabytes_per_s, memory, share, significant

_STYLE = {"passed": "green", "failed": "red", "invalid": "yellow"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its heading, how it is filled, and whether it is set to the left."""

    heading: str
    cell: Callable[[LevelResult], str]
    left: bool = False


def _percentile(name: Name) -> Callable[[LevelResult], str]:
    return lambda level: time_text(level.total.response, name)


def _overload(level: LevelResult) -> str:
    return share(level.total.overload)


_PLAYED = (
    Column("Users", lambda level: count(level.users)),
    Column("Purpose", lambda level: PURPOSE[level.purpose], left=True),
    Column("Outcome", lambda level: level.outcome, left=True),
    Column("Offered/s", lambda level: significant(level.offered_per_s)),
    Column("Done/s", lambda level: significant(level.achieved_per_s)),
    Column("p50", _percentile("p50_ms")),
    Column("p95", _percentile("p95_ms")),
    Column("p99", _percentile("p99_ms")),
    Column("Overload", _overload),
    Column("Errors", lambda level: count(level.total.failed)),
    Column("Errors %", lambda level: share(errors_share(level.total))),
    Column("CPU", lambda level: share(counter_mean(level, CPU))),
)
_STEADY = Column("Steady", lambda level: "yes" if level.steadiness.steady else "NO", left=True)


def _megabytes(value_bytes_per_s: float | None) -> str:
    return megabytes_per_s(value_bytes_per_s).removesuffix(" MB/s")


def _used(levels: Sequence[LevelResult], environment: EnvironmentFile | None) -> list[Column]:
    """Make the columns of the server's resources that any level has a figure for.

    Without the environment, the interface of the load is unknown, so the network is left out.
    """
    loopback = is_over_loopback(environment)

    def used(level: LevelResult) -> Resources:
        return resources(level, loopback=loopback)

    columns = [
        Column("Memory", lambda level: memory(used(level).memory_bytes)),
        Column("Disk MB/s", lambda level: _megabytes(used(level).disk_bytes_per_s)),
    ]
    if environment is not None:
        columns.append(
            Column("Net MB/s", lambda level: _megabytes(used(level).network_bytes_per_s))
        )
    return [one for one in columns if any(one.cell(level) != DASH for level in levels)]


def table(
    levels: Sequence[LevelResult], console: Console, environment: EnvironmentFile | None = None
) -> Group:
    """Make the table, in parts below each other if the console is narrow."""
    return fitted([*_PLAYED, *_used(levels, environment), _STEADY], levels, console)


def fitted(columns: Sequence[Column], levels: Sequence[LevelResult], console: Console) -> Group:
    """Make a table of levels, in as many parts as the console needs."""
    rows = [[_cell(column, level, console) for column in columns] for level in by_users(levels)]
    left = frozenset(index for index, column in enumerate(columns) if column.left)
    return tables([column.heading for column in columns], rows, console, left)


def _cell(column: Column, level: LevelResult, console: Console) -> Text:
    style = _STYLE[level.outcome] if column.heading == "Outcome" else ""
    if level.outcome == "invalid" and not style:
        style = "dim"
    return Text(writable(column.cell(level), console), style=style)
