"""Each second of a run: lines while it runs; `table` turns them into a Parquet table."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from headcount.bundle.files import records

LINES = "series.ndjson"
TABLE = "series.parquet"
ABANDONED = "abandoned"
"""Phase of the seconds of a level that a killed run did not finish; their level is 0."""

SECOND = ("t_s", "seconds", "level", "phase", "users", "scenarios", "counters")
"""Keys of every second; the rest depends on the version that wrote it."""


def tags(second: dict[str, Any]) -> Iterator[str]:
    """The tags of the histograms that a second must have, by what was counted in it."""
    if second.get("backlog"):
        yield "backlog"
    for name, figures in second["scenarios"].items():
        if figures.get("completed"):
            yield f"response/{name}"
            yield f"service/{name}"
        if figures.get("pending"):
            yield f"pending/{name}"
    for kind, of in (("step", "steps"), ("task", "tasks"), ("line", "lines")):
        for name, figures in second.get(of, {}).items():
            if figures.get("completed"):
                yield f"{kind}/{name}"


def each(folder: Path) -> Iterator[dict[str, Any]]:
    """Every second of a run, in order; raises InputError if a line is something else."""
    return records(folder / LINES, SECOND, "a second of a run")


def read(folder: Path) -> list[dict[str, Any]]:
    """Every second of a run, as a list."""
    return list(each(folder))
