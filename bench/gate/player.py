"""The engine as installed, driven as `headcount run` drives it, in a process of its own.

`python -m bench.gate.player` reads an order (JSON) from standard input, starts the engine under the
policy of a real run, takes and writes down each second as a run does, and prints one JSON object.
CPU is that of the whole process by getrusage(2), between two seconds of the run; what a run spends
before them is an item of its own.
"""

import json
import re
import resource
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from bench.gate.process import MeasureError, use
from headcount import _engine
from headcount._engine import Engine, Interval
from headcount.bundle.files import Lines, dump
from headcount.bundle.hlog import HistogramLog
from headcount.controller import second
from headcount.generator.real_time import real_time

PATIENCE_S = 30.0
"""An engine without a report for this long is broken."""
LONGEST_ARRIVAL_S = 120
"""How much longer than planned it may take all users to arrive."""
FEW_USERS = 10
"""Users added before memory is measured, to exclude what all users share."""

Count = Literal["steps", "requests"]


@dataclass(frozen=True)
class Order:
    """What to play.

    Attributes:
        plan: As the engine reads it (JSON).
        protocol: Its name.
        target: As the engine reads it (JSON).
        users: How many.
        seconds: How long they are measured.
        ramp_s: How long it takes them to arrive.
        settle_s: How long they are left alone before.
        count: What an operation is.
        memory: Whether to measure the memory of a user rather than the CPU of an operation.

    """

    plan: str
    protocol: str
    target: str
    users: int
    seconds: int = 3
    ramp_s: int = 0
    settle_s: int = 1
    count: Count = "steps"
    memory: bool = False


def play(order: Order) -> Mapping[str, float]:
    """What an order measures, in a process of its own; raises MeasureError."""
    command = [sys.executable, "-m", "bench.gate.player"]
    found: dict[str, float] = json.loads(use(command, json.dumps(asdict(order))).output)
    return found


def plan_text(steps: list[dict[str, Any]], think: dict[str, Any] | None = None) -> str:
    """A plan of the engine (JSON) of one scenario, which users repeat without a pause."""
    named = [{"name": f"{at}-{step['op']}", **step} for at, step in enumerate(steps)]
    scenario = {"name": "all", "weight": 1.0, "limit_ms": 60_000.0, "late_ms": 60_000.0}
    return json.dumps(
        {
            "seed": 1,
            "workers": 1,
            "pace": {"pace": "closed", "think": think or {"draw": "fixed", "s": 0.0}},
            "step_timeout_ms": 60_000,
            "report_every_ms": 1000,
            "scenarios": [scenario | {"steps": named}],
        }
    )


class _Run:
    """A run under way, which is written down second by second."""

    def __init__(self, order: Order, folder: Path) -> None:
        _engine.ensure_connections(order.users, 1)
        with real_time():
            self._engine = Engine(order.plan, order.protocol, order.target)
        self._count = order.count
        self._scenarios = [one["name"] for one in json.loads(order.plan)["scenarios"]]
        self._series, self._log = Lines(folder / "series"), HistogramLog(folder / "histograms")

    def users(self, users: int, ramp_s: float) -> None:
        """Have so many users."""
        self._engine.set_users(users, ramp_s)

    def seconds(self, seconds: int) -> int:
        """Let the run go on; returns the operations that were completed."""
        return sum(self._next() for _ in range(seconds))

    def until(
        self, is_over: Callable[[Interval], bool], longest_s: int, *, is_strict: bool = True
    ) -> None:
        """Let the run go on until a second is as asked; raises MeasureError if none is.

        With `is_strict` off operations may fail meanwhile.
        """
        for _ in range(longest_s):
            self._next(is_strict=is_strict)
            if is_over(self._last):
                return
        raise MeasureError(f"not all users arrived within {longest_s} s")

    def _next(self, *, is_strict: bool = True) -> int:
        interval = self._engine.next(PATIENCE_S)
        if interval is None:
            raise MeasureError("the engine reported nothing")
        if is_strict and interval.faults:
            raise MeasureError(f"operations failed: {interval.faults[0].examples}")
        steps = self._engine.step_names
        figures = second.figures(
            interval, self._scenarios, steps, {}, t_s=interval.to_s, level=0, phase="steady"
        )
        histograms = second.histograms(interval, self._scenarios, steps)
        self._log.append(interval.from_s, figures["seconds"], histograms)
        self._series.append(dump(figures))
        self._last = interval
        if self._count == "requests":
            return sum(interval.requests)
        return sum(step.completed for step in interval.steps)


def _cost(run: _Run, order: Order) -> dict[str, float]:
    run.users(order.users, order.ramp_s)
    run.until(lambda last: last.users == order.users, order.ramp_s + LONGEST_ARRIVAL_S)
    run.seconds(order.settle_s)
    before_s = _cpu_s()
    operations = run.seconds(order.seconds)
    if not operations:
        raise MeasureError("no operation was completed")
    return {"CPU": 1e6 * (_cpu_s() - before_s) / operations}


def _memory(run: _Run, order: Order) -> dict[str, float]:
    """The resident memory that each further user costs, in KiB, after each has played once."""
    run.users(FEW_USERS, 0)
    run.seconds(order.settle_s)
    before_kib = _resident_kib()
    # A server that forks for each user refuses some meanwhile, who try again.
    run.users(order.users, order.ramp_s)
    run.until(
        lambda last: sum(users for _, users in last.completed) == order.users,
        order.ramp_s + LONGEST_ARRIVAL_S,
        is_strict=False,
    )
    run.seconds(order.settle_s)
    return {"memory": (_resident_kib() - before_kib) / (order.users - FEW_USERS)}


def _cpu_s() -> float:
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in both)


def _resident_kib() -> int:
    found = re.search(r"^VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found is not None, "Linux"
    return int(found[1])


def main() -> None:
    """Play the order on standard input."""
    order = Order(**json.load(sys.stdin))
    with tempfile.TemporaryDirectory() as folder:
        run = _Run(order, Path(folder))
        print(json.dumps(_memory(run, order) if order.memory else _cost(run, order)))


if __name__ == "__main__":
    try:
        main()
    except MeasureError as error:
        sys.exit(str(error))
