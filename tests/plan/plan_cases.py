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

TREE: dict[str, Any] = {
    "folders": 10,
    "static_files": 30,
    "volatile_files": 5,
    "new_files": 15,
    "shared_files": 10,
    "median_size": "32KiB",
    "sigma": 2.0,
    "most_size": "16MiB",
}

SMB_WORKLOAD: dict[str, Any] = {
    **{key: value for key, value in WORKLOAD.items() if key != "data"},
    "protocol": "smb",
    "tree": TREE,
    "scenarios": [
        {"name": "look", "weight": 1, "limit": "1s", "steps": [{"name": "echo", "op": "echo"}]}
    ],
}

PLAN: dict[str, Any] = {
    "target": "app://127.0.0.1:7410",
    "mode": "level",
    "levels": [5],
    "seed": 1,
    "workers": 1,
}


SMB_PLAN: dict[str, Any] = PLAN | {"target": "smb://127.0.0.1/home{n:02}"}


def spoilt(path: str, value: Any, of: dict[str, Any] = WORKLOAD) -> dict[str, Any]:
    """Copy a workload with one value replaced, or added, at a dotted path."""
    values = deepcopy(of)
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


def smb_workload(path: str | None = None, value: Any = None) -> Workload:
    values = SMB_WORKLOAD if path is None else spoilt(path, value, SMB_WORKLOAD)
    return validate(Workload, deepcopy(values), "the workload")


def smb_plan(**changes: Any) -> Plan:
    return validate(Plan, SMB_PLAN | {"workload": deepcopy(SMB_WORKLOAD)} | changes, "the plan")
