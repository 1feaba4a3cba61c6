"""Results of a gate that was never run."""

from collections.abc import Sequence
from typing import Any

from bench.gate.results import Measured, Metric, Results

MACHINE: dict[str, str | int] = {
    "system": "Linux",
    "kernel": "6.1",
    "processors": 2,
    "processor": "Some CPU",
    "memory": "8.0 GiB",
}


def measured(
    name: str,
    ours: Sequence[float],
    peer: Sequence[float] = (),
    bar: float | None = None,
    unit: str = "µs",
    **others: Any,
) -> Measured:
    """An item with one metric: Headcount's values, and those of a peer."""
    rounds: list[dict[str, dict[str, float]]] = [{"headcount": {"CPU": value}} for value in ours]
    for one, value in zip(rounds, peer, strict=False):
        one["peer"] = {"CPU": value}
    values: dict[str, Any] = {
        "name": name,
        "title": f"The {name}",
        "metrics": [Metric(name="CPU", unit=unit, bar=bar)],
        "rounds": rounds,
        "load_before": 0.5,
        "load_after": 0.75,
        "stolen_s": 0.0,
        "seconds": 3.0,
    }
    return Measured(**values | others)


def results(
    *items: Measured, version: str = "1.2.0", machine: dict[str, str | int] = MACHINE
) -> Results:
    return Results(
        version=version,
        commit="0123456789ab",
        measured_at="2026-11-26T12:00:00+00:00",
        machine=machine,
        is_complete=True,
        items=list(items),
    )
