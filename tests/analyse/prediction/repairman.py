"""Ladders against servers of one queue, M/M/m with N customers, solved apart from the models."""

from collections.abc import Sequence
from typing import Any

from diagnosis_levels import QUIET, level, queue

from headcount.bundle.level import LevelResult
from headcount.plan.plan import Plan, validate

FACTORS = (0.3, 0.5, 0.7, 0.8, 0.9, 1.0, 1.1)
"""Of the users at the limit."""
THINK_S = 5.0


def quota(
    cores: int, service_s: float, think_s: float, users: Sequence[float]
) -> list[LevelResult]:
    """A server with this many CPUs: M/M/m with N customers, solved apart from the models."""
    made = []
    for index, each in enumerate(sorted({max(round(n), 1) for n in users}), 1):
        found = queue(each, cores, service_s, think_s)
        counters = QUIET | {
            "cgroup.cpu.utilization": found.per_s * service_s,
            "cgroup.cpu.limit": float(cores),
            "cgroup.cpu.throttled": found.some_wait,
            "cgroup.pressure{resource=cpu,kind=some}": found.some_wait,
            "system.memory.limit": 64e9,
        }
        made.append(level(index, each, found.per_s, found.response_s, think_s, counters))
    return made


def truth(cores: int, service_s: float, think_s: float, mean_s: float) -> float:
    """Users at which the mean response reaches a limit."""
    low, high = 1, 100_000
    while high - low > 1:
        middle = (low + high) // 2
        if queue(middle, cores, service_s, think_s).response_s <= mean_s:
            low = middle
        else:
            high = middle
    first, second = (queue(n, cores, service_s, think_s).response_s for n in (low, low + 1))
    return low + (mean_s - first) / (second - first)


def plan(criterion: str, users: Sequence[int], limits: dict[str, str] | None = None) -> Plan:
    """The plan of a ladder with this criterion."""
    workload: dict[str, Any] = {
        "name": "simulated",
        "title": "Simulated",
        "protocol": "app",
        "recreates": "nothing",
        "description": "A simulated server.",
        "sources": [],
        "deviations": [],
        "criteria": [criterion, "errors<1%"],
        "pace": {"kind": "closed", "time": {"draw": "exponential", "mean": f"{THINK_S}s"}},
        "data": {"file_size": "64KiB", "io_range": "64KiB"},
        "run": {"duration": "10s"},
        "scenarios": [
            {
                "name": "ask",
                "weight": 1,
                "limit": "10s",
                "steps": [{"name": "read", "op": "read", "bytes": 4096}],
            }
        ],
    }
    values = {
        "target": "lab:app",
        "mode": "ladder",
        "levels": sorted(set(users)),
        "seed": 1,
        "workers": 1,
        "limits": limits or {},
        "workload": workload,
    }
    return validate(Plan, values, "the plan")
