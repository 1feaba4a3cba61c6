"""Each second of a run: lines while it runs; `table` makes a Parquet table of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from headcount.bundle.files import read_lines, records

LINES = "series.ndjson"
TABLE = "series.parquet"
ABANDONED = "abandoned"
"""Phase of the seconds of a level that a killed run did not finish; their level is 0."""

SECOND = ("t_s", "seconds", "level", "phase", "users", "scenarios", "counters")
"""What every second has; the rest depends on the version that wrote it."""

RUN = ("think_s", "sessions_opened", "backlog", "backlog_s", "backlog_overdue", "p95_ms")
"""Figures of a whole second."""


def rows(second: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One second as rows of the table: a name and a value for each figure."""
    common = {key: second[key] for key in ("t_s", "seconds", "level", "phase", "users")}
    run = {key: second[key] for key in RUN} | {"worker_cpu_s": sum(second["worker_cpu_s"])}
    sides = [("run", {"": run})]
    # Runs that an older Headcount began have no tasks in their first seconds.
    sides += [(kind, second.get(kind, {})) for kind in ("scenarios", "steps", "tasks")]
    sides += [(side, {"": figures}) for side, figures in second["counters"].items()]
    sides += [("faults", {step or "": {kind: n}}) for step, kind, n in second["faults"]]
    for side, things in sides:
        for of, figures in things.items():
            for name, value in figures.items():
                if value is not None:
                    yield {**common, "side": side, "of": of, "name": name, "value": float(value)}


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
    for kind, of in (("step", "steps"), ("task", "tasks")):
        for name, figures in second.get(of, {}).items():
            if figures.get("completed"):
                yield f"{kind}/{name}"


def read(folder: Path) -> list[dict[str, Any]]:
    """Every second of a run, in order; raises InputError where a line is something else."""
    return records(folder / LINES, SECOND, "a second of a run")


Totals = dict[tuple[str, str, str], tuple[int, float]]
"""How many rows the table has of a figure, and the sum of their values; by side, `of` and name."""


def totals_of_lines(folder: Path) -> Totals:
    """What the table must have, from the lines; lines that are no seconds are left out."""
    found: Totals = {}
    for second in read_lines(folder / LINES):
        try:
            of_second = list(rows(second))
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
            continue
        for row in of_second:
            key = (row["side"], row["of"], row["name"])
            number, total = found.get(key, (0, 0.0))
            found[key] = (number + 1, total + row["value"])
    return found
