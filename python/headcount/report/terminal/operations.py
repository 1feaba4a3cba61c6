"""The operations of a program with their times: what dbench prints, and percentiles."""

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from headcount.bundle.level import LevelResult
from headcount.report.terminal.glyphs import BLOCKS, glyphs, writable
from headcount.text import count, duration, megabytes_per_s


def operations(level: LevelResult, console: Console) -> Table:
    """Make the table of a level's operations, in the order of the workload."""
    box = SIMPLE_HEAD if glyphs(console) is BLOCKS else None
    made = Table(box=box, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False)
    made.add_column("Operation", no_wrap=True, overflow="crop")
    for heading in ("Count", "Failed", "Mean", "p95", "Max"):
        made.add_column(heading, justify="right", no_wrap=True, overflow="crop")
    for result in level.scenarios:
        times = result.response
        cells = [
            result.name,
            count(result.completed + result.failed),
            count(result.failed),
            duration(times.mean_ms if times else None),
            duration(times.p95_ms if times else None),
            duration(times.max_ms if times else None),
        ]
        made.add_row(*(writable(cell, console) for cell in cells))
    return made


def throughput(level: LevelResult) -> str:
    """Say what a level moved, in a line."""
    total = level.total
    moved = megabytes_per_s(total.read_bytes_per_s + total.written_bytes_per_s)
    read, written = (
        megabytes_per_s(total.read_bytes_per_s),
        megabytes_per_s(total.written_bytes_per_s),
    )
    slowest = duration(total.response.max_ms if total.response else None)
    return f"Throughput {moved} ({read} read, {written} written), slowest operation {slowest}"
