"""Sorting 300 MB with two threads where all fits in memory, beside GNU sort and DuckDB."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.example import ROOT
from bench.gate.item import OURS, Item, Metric, Sides
from bench.gate.process import MeasureError
from bench.sort import (
    KEYS,
    LIMITS_MB,
    RECORD_BYTES,
    RECORDS,
    Cost,
    check,
    duckdb_cost,
    gnu_cost,
    ours_cost,
)
from headcount import _engine

Sort = Callable[[int, Path, Path, Path], Cost | None]
SORTS: Mapping[str, Sort] = {OURS: ours_cost, "GNU sort": gnu_cost, "DuckDB": duckdb_cost}
"""The last is a library that Headcount needs anyway."""


@contextmanager
def _sort() -> Iterator[Sides]:
    with tempfile.TemporaryDirectory(dir=ROOT / "target", prefix="gate-sort-") as name:
        folder = Path(name)
        source = folder / "source"
        source.touch()
        _engine.sort_make(str(source), RECORD_BYTES, KEYS, "records", RECORDS, 1, lambda _far: None)
        yield Sides({name: partial(_take, name, sort, folder) for name, sort in SORTS.items()})


def _take(name: str, sort: Sort, folder: Path) -> Mapping[str, float]:
    target = folder / "target"
    target.write_bytes(b"")
    try:
        cost = sort(LIMITS_MB[-1], folder / "source", target, folder)
        if cost is None:
            raise MeasureError(f"{name} had too little memory")
        check(name, target)
    finally:
        target.unlink()
    return {"CPU": cost.process_cpu_s, "time": cost.wall_s, "memory": cost.resident_bytes / 1e6}


ITEMS = (
    Item(
        "sort",
        "sort of 300 MB, two threads, 512 MB",
        (
            Metric(name="CPU", unit="s"),
            Metric(name="time", unit="s"),
            Metric(name="memory", unit="MB"),
        ),
        _sort,
    ),
)
