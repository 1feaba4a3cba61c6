"""Steps that do nothing: what the engine itself costs, everything recorded."""

import json
import math
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from bench.example import ROOT
from bench.gate.item import OURS, Item, Metric, Sides
from bench.gate.player import Order, plan_text, play
from bench.gate.process import use

USERS = 1000
BAR_US = 0.35
NOTHING = {"op": "nothing"}
LOOP = "10 turns of a Python loop"
"""No peer, but what says how fast the machine was meanwhile."""
TURNS = 30_000_000


def _order(steps: int) -> Order:
    return Order(plan_text([NOTHING] * steps), "null", "{}", USERS)


@contextmanager
def _steps(steps: int) -> Iterator[Sides]:
    yield Sides({OURS: partial(play, _order(steps)), LOOP: _loop})


def _loop() -> Mapping[str, float]:
    ran = use([sys.executable, "-c", f"for _ in range({TURNS}): pass"])
    return {"CPU": 10e6 * ran.cpu_s / TURNS}


@contextmanager
def _user() -> Iterator[Sides]:
    uv = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
    if shutil.which(uv) is None:
        why = "Locust needs uv to be installed (pip install uv)"
        yield Sides({OURS: partial(play, _order(1))}, {"Locust": why})
        return
    yield Sides({OURS: partial(play, _order(1)), "Locust": partial(_locust, uv)})


def _locust(uv: str) -> Mapping[str, float]:
    """The same users, one request recorded for each task, by its own getrusage(2)."""
    os.environ.setdefault("UV_PYTHON_DOWNLOADS", "never")
    command = [uv, "run", "--no-project", "--isolated", "--python", sys.executable]
    command += ["--with", "locust", "python", str(ROOT / "bench" / "locust_users.py")]
    output = use([*command, str(USERS), str(math.inf), "--recorded"]).output
    return {"CPU": json.loads(output)["cpu_us_per_task"]}


ITEMS = (
    Item(
        "step-14",
        "null step, scenarios of 14 steps",
        (Metric(name="CPU", unit="µs", bar=BAR_US),),
        partial(_steps, 14),
    ),
    Item(
        "step-1",
        "null step, scenarios of 1 step",
        (Metric(name="CPU", unit="µs", bar=BAR_US),),
        partial(_steps, 1),
    ),
    Item(
        "user",
        "empty task, 1,000 users",
        (Metric(name="CPU", unit="µs"),),
        _user,
        most_rounds=4,
    ),
)
