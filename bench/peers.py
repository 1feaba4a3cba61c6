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
        theirs = _locust(users, per_s, recorded=True)
        figures += _compared(name, ours, theirs)
        if name == BUSY:
            bare = _locust(users, per_s, recorded=False)
            cpu_us, other_us = ours["cpu_us_per_scenario"], bare["cpu_us_per_task"]
            title = f"{name}: CPU, Locust records nothing"
            figures.append(Figure("locust", title, cpu_us, "µs/iteration", other_us, "Locust"))
    return figures


def _compared(case: str, ours: dict[str, Any], theirs: dict[str, Any]) -> list[Figure]:
    def figure(name: str, value: float, unit: str, other: float) -> Figure:
        return Figure("locust", f"{case}: {name}", value, unit, other, "Locust")

    def late(quantile: str) -> Figure:
        key = f"lateness_{quantile}_us"
        return figure(f"lateness {quantile}", ours[key] / 1e3, "ms", theirs[key] / 1e3)

    ours_kib, theirs_kib = ours["bytes_per_user"] / 1024, theirs["bytes_per_user"] / 1024
    cost = [
        figure("CPU", ours["cpu_us_per_scenario"], "µs/iteration", theirs["cpu_us_per_task"]),
        figure("memory", ours_kib, "KiB/user", theirs_kib),
    ]
    # Who never waits is never late.
    return cost if case == BUSY else [*cost, late("p50"), late("p99")]


def _locust(users: int, per_s: float, *, recorded: bool) -> dict[str, Any]:
    uv = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
    command = [uv, "run", "--no-project", "--isolated", "--with", "locust"]
    command += ["python", str(Path(__file__).with_name("locust_users.py")), str(users), str(per_s)]
    os.environ.setdefault("UV_PYTHON_DOWNLOADS", "never")
    measured: dict[str, Any] = json.loads(run([*command, *(["--recorded"] if recorded else [])]))
    return measured
