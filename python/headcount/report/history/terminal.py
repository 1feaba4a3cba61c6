"""Series of runs on the terminal: what changed first, then every run."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from headcount.analyse.compare.history import History, Run, Series, reason
from headcount.analyse.compare.metrics import BY_ID
from headcount.analyse.compare.words import signed, value
from headcount.report.compare.terminal import print_list
from headcount.report.terminal.glyphs import BLOCKS, glyphs, writable
from headcount.report.terminal.say import say
from headcount.text import DASH, count, plural

MOST_METRICS = 3
"""Most figures side by side; the most important come first."""
WIDE = 100
"""Columns of the console from which all of those fit."""
MOST_RUNS = 40
"""Runs printed, the last ones; `--json` has all."""
_STYLES = {"better": "bold green", "worse": "bold red"}

MOST_LISTED = 10
"""Differences between neighbours that are listed, the last ones."""


def moment(run: Run) -> str:
    """When a run began, to the minute."""
    return run.started_at[:16].replace("T", " ")


def show(found: History, console: Console) -> None:
    """Print every series."""
    for number, series in enumerate(found.series):
        if number:
            console.print()
        _series(series, console)


def _series(series: Series, console: Console) -> None:
    last = [one for one in series.changes if one.metric == series.metrics[0]][-1:]
    style = _STYLES.get(last[0].finding, "bold") if last else "bold"
    say(console, series.title, "bold")
    say(console, series.sentence, style)
    if last:
        say(console, reason(last[0]))
    metrics = series.metrics[: MOST_METRICS if console.width >= WIDE else 2]
    if metrics:
        say(console, _course(series, metrics[0], console))
    console.print(_table(series, metrics, console))
    hidden = len(series.runs) - MOST_RUNS
    if hidden > 0:
        say(console, f"{plural('earlier run', hidden)}: --json and --html show all", "dim")
    main = series.metrics[:1]
    others = [one.sentence for one in series.changes if one.metric not in main]
    differ = [f"{moment(run)}: {'; '.join(run.unlike)}" for run in series.runs if run.unlike]
    print_list(console, "What differs from the run before", differ[-MOST_LISTED:], ())
    print_list(console, "Other changes", [line.rstrip(".") for line in others], ())
    print_list(console, "To know", series.doubts, ())


def _course(series: Series, metric: str, console: Console) -> str:
    """The figure of each run as a column of blocks, from 0 to the greatest."""
    known = [run.readings[metric].value for run in series.runs if metric in run.readings]
    fills = glyphs(console).fills
    top = max(known)
    steps = len(fills) - 1
    # All are 0 where every scenario of every run failed.
    columns = "".join(fills[max(round(one / top * steps), 1) if top else 1] for one in known[-60:])
    return (
        f"{BY_ID[metric].label} of each run, from 0 to {value(top, BY_ID[metric].unit)}: {columns}"
    )


def _table(series: Series, metrics: Sequence[str], console: Console) -> Table:
    box = SIMPLE_HEAD if glyphs(console) is BLOCKS else None
    table = Table(box=box, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("begun (UTC)", no_wrap=True)
    table.add_column("outcome", no_wrap=True)
    for name in metrics:
        at = f" at {count(series.users)}" if name in ("throughput", "response.p95") else ""
        table.add_column(f"{BY_ID[name].short}{at}", justify="right", no_wrap=True)
        table.add_column("", no_wrap=True)
    first = max(len(series.runs) - MOST_RUNS, 0)
    for place, run in enumerate(series.runs[first:], start=first):
        table.add_row(*(_text(cell, console) for cell in _cells(series, metrics, place, run)))
    return table


def _cells(series: Series, metrics: Sequence[str], place: int, run: Run) -> list[str]:
    """The time, the outcome and each figure of a run, with the size of a change at this run."""
    cells = [moment(run), run.outcome]
    for name in metrics:
        reading = run.readings.get(name)
        cells.append(DASH if reading is None else value(reading.value, BY_ID[name].unit))
        here = [one for one in series.changes if (one.run, one.metric) == (place, name)]
        cells.append(signed(here[0].ratio) if here else "")
    return cells


def _text(cell: str, console: Console) -> Text:
    return Text(writable(cell, console))
