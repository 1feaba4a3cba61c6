"""The sort experiment on the terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from headcount.report.sorting.figures import seconds, size, time_interval
from headcount.report.terminal.glyphs import glyphs, writable
from headcount.sort.setting_figures import Figures
from headcount.text import DASH, count

LEAST_BAR, MOST_BAR = 8, 40
"""Columns of the console for the longest bar."""
_MARKS = {"best": "fastest", "no different": "=", "slower": "", "unknown": ""}
_STYLE = {"best": "bold green", "no different": "green"}
_HEADINGS = ("memory", "sort size", "time", "95% interval", "on disk", "temporary", "runs")
_TITLES = {name: name for name in _HEADINGS}
_GOES = ("runs", "on disk")
"""Columns to drop first if there is too little room."""


def say(lines: Sequence[str], console: Console, style: str = "") -> None:
    """Print sentences: text, never markup."""
    for line in lines:
        console.print(Text(writable(line, console), style=style))


def chart(found: Sequence[Figures], console: Console) -> None:
    """Print time against sort size, a bar for each setting."""
    limited = any(one.setting.memory_bytes is not None for one in found)
    shown: tuple[str, ...] = _HEADINGS if limited else _HEADINGS[1:]
    rows = [dict(zip(_HEADINGS, _cells(one), strict=True)) for one in found]
    marks = max(map(len, _MARKS.values()))

    def room() -> int:
        widths = [max(len(row[name]) for row in [_TITLES, *rows]) for name in shown]
        return console.width - sum(widths) - marks - 2 * (len(widths) + 1)

    for name in _GOES:
        if room() < LEAST_BAR:
            shown = tuple(one for one in shown if one != name)
    longest = min(max(room(), LEAST_BAR), MOST_BAR)
    longest_s = max(one.exit_s.value for one in found)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in shown:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("", no_wrap=True)
    full = glyphs(console).fills[-1]
    for one, row in zip(found, rows, strict=True):
        bar = full * max(round(one.exit_s.value / longest_s * longest), 1)
        style = _STYLE.get(one.standing, "")
        cells = [*(row[name] for name in shown), bar, _MARKS[one.standing]]
        table.add_row(*(Text(writable(cell, console), style=style) for cell in cells))
    console.print(table)
    if any(one.standing == "no different" for one in found):
        say(["= no different from the fastest within the noise"], console, "dim")


def _cells(one: Figures) -> tuple[str, ...]:
    limit = one.setting.memory_bytes
    return (
        DASH if limit is None else size(limit),
        size(one.setting.sortsize_bytes),
        seconds(one.exit_s.value),
        time_interval(one.exit_s) or DASH,
        seconds(one.durable_s.value),
        size(one.temporary_bytes) if one.temporary_bytes else "none",
        count(one.trials[0].sorted.budget.runs),
    )
