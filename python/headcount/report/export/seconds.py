"""Each second of a run as a table: what users did, and every counter except those per device."""

from typing import Any

from headcount.bundle.reader import Bundle
from headcount.counters.catalogue import label, lookup
from headcount.counters.naming import split_instance
from headcount.report.export.table import Column, Table, Value

_FIXED = (
    Column("t_s", "Time (s)", "Since the run began, at the end of the second."),
    Column("level", "Level", "0: a level that was run again later."),
    Column("phase", "Phase", "Only `steady` enters figures."),
    Column("users", "Users"),
    Column("completed_per_s", "Throughput (scenarios/s)"),
    Column("failed_per_s", "Failures (scenarios/s)"),
    Column("p95_ms", "Response p95 (ms)", "Of what ended in this second."),
)


def seconds(bundle: Bundle) -> Table:
    """A row for each second; a counter is empty in seconds without a sample."""
    kept = bundle.seconds
    names = sorted({key for second in kept for key in _counters(second)})
    columns = [*_FIXED, *(_column(side, name) for side, name in names)]
    rows = [[*_fixed(second), *map(_counters(second).get, names)] for second in kept]
    return Table("seconds", "Seconds", columns, rows)


def _counters(second: dict[str, Any]) -> dict[tuple[str, str], float]:
    return {
        (side, name): value
        for side, found in second["counters"].items()
        for name, value in found.items()
        if value is not None and split_instance(name)[1] is None
    }


def _column(side: str, name: str) -> Column:
    known = lookup(name)
    unit = f" ({known.unit})" if known and known.unit != "1" else " (share)" if known else ""
    about = f"{known.meaning} " if known else ""
    return Column(f"{side}:{name}", f"{side}: {label(name)}{unit}", f"{about}{side}: {name}")


def _fixed(second: dict[str, Any]) -> list[Value]:
    took_s = max(second["seconds"], 1e-9)
    done = second["scenarios"].values()
    return [
        second["t_s"],
        second["level"],
        second["phase"],
        second["users"],
        sum(one["completed"] for one in done) / took_s,
        sum(one["failed"] for one in done) / took_s,
        second["p95_ms"],
    ]
