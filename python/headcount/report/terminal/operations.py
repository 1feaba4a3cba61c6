"""The operations of a program with their times: what dbench prints, and percentiles."""

from rich.console import Console, Group
from rich.text import Text

from headcount.analyse.time_text import time_text
from headcount.bundle.level import LevelResult
from headcount.report.terminal.glyphs import writable
from headcount.report.terminal.parts import tables
from headcount.text import count, duration, megabytes_per_s


def operations(level: LevelResult, console: Console) -> Group:
    """Make the table of a level's operations, in the order of the workload."""
    rows = []
    for result in level.scenarios:
        times = result.response
        cells = [
            result.name,
            count(result.completed + result.failed),
            count(result.failed),
            time_text(times, "mean_ms"),
            time_text(times, "p95_ms"),
            duration(times.max_ms if times else None),
        ]
        rows.append([Text(writable(cell, console)) for cell in cells])
    return tables(["Operation", "Count", "Failed", "Mean", "p95", "Max"], rows, console)


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
