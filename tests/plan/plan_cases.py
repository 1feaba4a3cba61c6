"""A small valid workload to spoil, and a plan of it."""

from copy import deepcopy
from typing import Any

from headcount.plan.plan import Plan, validate
from headcount.plan.workload import Workload

WORKLOAD: dict[str, Any] = {
    "name": "small",
    "title": "Small",
    "protocol": "app",
    "recreates": "nothing",
    "description": "A workload of the tests.",
    "sources": ["ours"],
    "deviations": [],
    "criteria": ["p95<=1s", "errors<1%"],
    "pace": {"kind": "closed", "time": {"draw": "fixed", "mean": "1s"}},
    "data": {"file_size": "1MiB", "io_range": "512KiB"},
    "run": {"duration": "10s"},
    "scenarios": [
        {
            "name": "read",
            "weight": 1,
            "limit": "1s",
            "steps": [{"name": "read", "op": "read", "bytes": 4096}],
        }
    ],
}

PLAN: dict[str, Any] = {
    "target": "app://127.0.0.1:7410",
    "mode": "level",
    "levels": [5],
    "seed": 1,
    "workers": 1,
}


def spoilt(path: str, value: Any) -> dict[str, Any]:
    """Copy the workload with one value replaced, or added, at a dotted path."""
    values = deepcopy(WORKLOAD)
    *parents, last = path.split(".")
    place: Any = values
    for part in parents:
        place = place[int(part)] if part.isdigit() else place[part]
    place[last] = value
    return values


def workload(path: str | None = None, value: Any = None) -> Workload:
    values = deepcopy(WORKLOAD) if path is None else spoilt(path, value)
    return validate(Workload, values, "the workload")


def plan(**changes: Any) -> Plan:
    return validate(Plan, PLAN | {"workload": deepcopy(WORKLOAD)} | changes, "the plan")
