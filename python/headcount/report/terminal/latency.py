"""The experiment with latencies on the terminal."""

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from headcount.analyse.latency import amount, latency_text
from headcount.bundle.latency import LatencyFile
from headcount.report.terminal.glyphs import BLOCKS, glyphs, writable
from headcount.text import DASH, duration, significant


def show(found: LatencyFile, console: Console) -> None:
    """Print the costs with each latency, and what was counted."""

    def say(text: str) -> None:
        console.print(writable(text, console), markup=False)

    say(f"Users: {found.points[0].users:,}. {found.workload}.")
    console.print(_load(found, console))
    console.print(_costs(found, console))
    repeats = len({point.repeat for point in found.points})
    say(f"From {repeats} repeats, with 95% intervals.")
    for line in found.sentences:
        say(line)
    for line in found.counted:
        say(f"Counted: {line}")
    for line in found.doubts:
        say(f"Doubt: {line}")


def _load(found: LatencyFile, console: Console) -> Table:
    """What was played with each latency: means over the repeats."""
    made = _table(console)
    for heading in ("Latency", "Round trip", "Offered/s", "Done/s"):
        made.add_column(heading, justify="right", no_wrap=True)
    for latency_s in sorted({point.latency_s for point in found.points}):
        points = [point for point in found.points if point.latency_s == latency_s]
        trips = [point.round_trip_s for point in points if point.round_trip_s is not None]
        cells = [
            latency_text(latency_s),
            duration(1000 * sum(trips) / len(trips)) if trips else DASH,
            significant(sum(point.offered_per_s for point in points) / len(points)),
            significant(sum(point.achieved_per_s for point in points) / len(points)),
        ]
        made.add_row(*(writable(cell, console) for cell in cells))
    return made


def _costs(found: LatencyFile, console: Console) -> Table:
    made = _table(console)
    made.add_column("Latency", justify="right", no_wrap=True)
    made.add_column("Memory of", no_wrap=True)
    made.add_column("A connection", justify="right", no_wrap=True)
    shortest = min(point.latency_s for point in found.points)
    more = f"More than at {latency_text(shortest)}"
    made.add_column(more, justify="right", no_wrap=True)
    for cost in found.costs:
        cells = [
            latency_text(cost.latency_s),
            cost.of,
            amount(cost.value, cost.low, cost.high),
            DASH if cost.more is None else amount(cost.more, cost.more_low, cost.more_high),
        ]
        made.add_row(*(writable(cell, console) for cell in cells))
    return made


def _table(console: Console) -> Table:
    box = SIMPLE_HEAD if glyphs(console) is BLOCKS else None
    return Table(box=box, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False)
