"""Real runs of the engine against a server of known behaviour, ten reports a second."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headcount._engine import Engine, Interval
from headcount.analyse.level import Measured, summarise
from headcount.analyse.window import Window
from headcount.bundle.level import LevelResult
from headcount.plan.plan import Plan, engine_plan, validate
from headcount.plan.workload import Workload

REPORT_S = 0.1
LONGEST_S = 60.0
"""What a busy machine may take for the scenarios that a test asks for."""


def serve(seconds: float) -> dict[str, Any]:
    return {"op": "serve", "service": {"draw": "fixed", "s": seconds}}


FAIL = {"op": "fail", "ends_session": False}
BREAK = {"op": "fail", "ends_session": True}


def workload(
    kind: str, time: str, *steps: dict[str, Any], criteria: Sequence[str], limit: str = "200ms"
) -> Workload:
    """Make a workload with one scenario for each step; `time` is the mean think time or interval.

    Its steps are the null protocol's, which only the engine knows.
    """
    scenarios = [
        {
            "name": f"work-{number}",
            "weight": 1,
            "limit": limit,
            "steps": [{"name": f"step-{number}", **step}],
        }
        for number, step in enumerate(steps)
    ]
    values = {
        "name": "null",
        "title": "Null",
        "protocol": "app",
        "recreates": "nothing",
        "description": "A server of known behaviour.",
        "sources": [],
        "deviations": [],
        "criteria": list(criteria),
        "pace": {"kind": kind, "time": {"draw": "fixed", "mean": time}},
        "run": {"duration": "1s"},
        "scenarios": scenarios,
    }
    return validate(Workload, values, "the workload")


def plan_of(workload: Workload, levels: Sequence[int] = (1,), **more: Any) -> Plan:
    values = {
        "target": "app://127.0.0.1:9",
        "mode": "level" if len(levels) == 1 else "ladder",
        "levels": list(levels),
        "seed": 11,
        "workers": 1,
        "workload": workload.model_dump(exclude_none=True),
    }
    return validate(Plan, values | more, "the plan")


@dataclass(frozen=True)
class Run:
    """What a run counted."""

    plan: Plan
    users: int
    intervals: list[Interval]
    step_names: list[str]

    def between(self, from_s: float, to_s: float) -> Window:
        """Take the reports of a stretch of the run's clock."""
        inside = [i for i, v in enumerate(self.intervals) if from_s < v.to_s <= to_s]
        first = inside[0]
        before = self.intervals[first - 1] if first else None
        return Window(self.intervals[first : inside[-1] + 1], before)

    def after(self, completed: int) -> Window:
        """Take the reports from the moment when this many scenarios were completed to the end."""
        so_far = 0
        for first, interval in enumerate(self.intervals):
            if so_far >= completed:
                return Window(self.intervals[first:], self.intervals[first - 1])
            so_far += _completed(interval)
        raise AssertionError(f"only {so_far} scenarios were completed")

    def level(
        self, window: Window, users: int | None = None, unsettled: Sequence[str] = ()
    ) -> LevelResult:
        """Sum a stretch up as a level."""
        level = Measured(
            index=1,
            purpose="only",
            users=self.users if users is None else users,
            started_at="2026-01-01T00:00:00.000+00:00",
            ramp_s=0.0,
            settle_s=0.0,
            window=window,
            step_names=self.step_names,
            request_names=[],
            counters={},
            unsettled=unsettled,
        )
        return summarise(self.plan, level)


def prompt(level: LevelResult) -> LevelResult:
    """The level as if the load generator had never been late, even on a busy machine."""
    response = level.total.response
    assert response is not None
    total = level.total.model_copy(
        update={"response": response.model_copy(update={"own_delay": None})}
    )
    return level.model_copy(update={"total": total})


def record(
    workload: Workload,
    users: int,
    until_s: float,
    report_s: float = REPORT_S,
    least: int = 0,
    **target: int,
) -> Run:
    """Play a workload with this many users from the beginning on.

    It ends after `until_s`, or when `least` scenarios were completed, which takes a busy machine
    longer.
    """
    plan = plan_of(workload, [users])
    order = json.loads(engine_plan(plan)) | {"report_every_ms": round(report_s * 1000)}
    engine = Engine(json.dumps(order), "null", json.dumps(target))
    engine.set_users(users, 0.0)
    intervals: list[Interval] = []
    completed = 0
    while not intervals or intervals[-1].to_s < until_s or completed < least:
        interval = engine.next(10.0)
        assert interval is not None
        intervals.append(interval)
        completed += _completed(interval)
        assert interval.to_s < until_s + LONGEST_S, f"{completed} of {least} scenarios"
    names = engine.step_names
    engine.close()
    return Run(plan, users, intervals, names)


def _completed(interval: Interval) -> int:
    return sum(one.completed for one in interval.scenarios)
