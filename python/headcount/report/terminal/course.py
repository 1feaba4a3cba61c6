"""The table of steps at each level of a ladder, as wide as the console allows."""

from collections.abc import Callable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Verdict
from headcount.report.course import connections_per_s, course, mean_ms, moved_per_s
from headcount.report.selection import by_users
from headcount.report.terminal.glyphs import BLOCKS, glyphs, writable
from headcount.text import count, duration, megabytes_per_s, significant

_PADDING = 2


def steps(verdict: Verdict, levels: Sequence[LevelResult], console: Console) -> Table | None:
    """Make the table: mean times of the steps; None where there is nothing to show."""
    told = course(verdict, levels)
    if told is None:
        return None
    columns: dict[str, Callable[[LevelResult], str]] = {"Users": lambda level: count(level.users)}
    if told.moved:
        columns["MB/s"] = lambda level: megabytes_per_s(moved_per_s(level)).removesuffix(" MB/s")
    if told.connections:
        columns["Conn/s"] = lambda level: significant(connections_per_s(level))
    for name in told.steps:
        columns[name] = _mean(name)
    cells = {
        heading: [writable(cell(level), console) for level in by_users(levels)]
        for heading, cell in columns.items()
    }
    shown = list(cells)
    while len(shown) > 1 and _width(shown, cells) > console.width:
        shown.pop()
    box = SIMPLE_HEAD if glyphs(console) is BLOCKS else None
    made = Table(box=box, padding=(0, _PADDING, 0, 0), pad_edge=False, show_edge=False)
    for heading in shown:
        made.add_column(
            Text(writable(heading, console)), justify="right", no_wrap=True, overflow="crop"
        )
    for line in zip(*(cells[heading] for heading in shown), strict=True):
        made.add_row(*map(Text, line))
    return made


def _mean(name: str) -> Callable[[LevelResult], str]:
    found = mean_ms(name)
    return lambda level: duration(found(level))


def _width(shown: Sequence[str], cells: dict[str, list[str]]) -> int:
    return sum(
        max(len(text) for text in (heading, *cells[heading])) + _PADDING + 1 for heading in shown
    )
