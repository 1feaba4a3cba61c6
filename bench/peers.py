"""What users who do nothing cost in Headcount and in its peers, one after the other."""

import json
import math
import os
import shutil
from pathlib import Path
from typing import Any

from bench.example import ROOT, build, engine_cost, run
from bench.figure import Figure

BUSY = "1,000 busy users"
CASES = (
    ("1,000 users at 1/s", "peer-1000", 1_000, 1.0),
    ("10,000 users at 1/s", "peer-10000", 10_000, 1.0),
    (BUSY, "busy-1", 1_000, math.inf),
)
"""A name, the case of `engine_cost`, users, and iterations that each begins a second."""


def locust() -> list[Figure]:
    """CPU for an iteration and memory for a user, compared with Locust's."""
    program = build("null", "engine_cost")
    figures = []
    for name, case, users, per_s in CASES:
        ours = engine_cost(program, case, [])
        for recorded in (False, True):
            theirs = _locust(users, per_s, recorded=recorded)
            figures += _compared(name, ours, theirs, recorded=recorded)
    return figures


def _compared(
    case: str, ours: dict[str, Any], theirs: dict[str, Any], *, recorded: bool
) -> list[Figure]:
    def figure(name: str, key: str, unit: str, scale: float = 1.0) -> Figure:
        value, other = ours[key] / scale, theirs[their.get(key, key)] / scale
        return Figure("locust", f"{case}: {name}", value, unit, other, "Locust")

    their = {"cpu_us_per_scenario": "cpu_us_per_task"}
    cpu = figure(
        "CPU" if recorded else "CPU, Locust records nothing",
        "cpu_us_per_scenario",
        "µs/iteration",
    )
    if not recorded:
        return [figure("memory", "bytes_per_user", "KiB/user", 1024), cpu]
    if case == BUSY:
        return [cpu]  # who never waits is never late
    return [
        cpu,
        figure("lateness p50", "lateness_p50_us", "ms", 1e3),
        figure("lateness p99", "lateness_p99_us", "ms", 1e3),
    ]


def _locust(users: int, per_s: float, *, recorded: bool) -> dict[str, Any]:
    uv = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
    command = [uv, "run", "--no-project", "--isolated", "--with", "locust"]
    command += ["python", str(Path(__file__).with_name("locust_users.py")), str(users), str(per_s)]
    os.environ.setdefault("UV_PYTHON_DOWNLOADS", "never")
    measured: dict[str, Any] = json.loads(run([*command, *(["--recorded"] if recorded else [])]))
    return measured
