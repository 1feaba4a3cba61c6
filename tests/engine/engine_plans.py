"""Plans for the engine itself, and runs of it that are pulled to a given moment."""

import json
from typing import Any

from headcount._engine import Engine, Interval

NOTHING = {"op": "nothing"}
FAIL = {"op": "fail", "ends_session": False}
PANIC = {"op": "panic"}


def serve(seconds: float) -> dict[str, Any]:
    """Return a step that takes a fixed time."""
    return {"op": "serve", "service": {"draw": "fixed", "s": seconds}}


def closed(think_s: float) -> dict[str, Any]:
    return {"pace": "closed", "think": {"draw": "fixed", "s": think_s}}


def opened(every_s: float) -> dict[str, Any]:
    return {"pace": "open", "every": {"draw": "fixed", "s": every_s}}


def scenario(name: str, *steps: dict[str, Any], limit_ms: float = 1000) -> dict[str, Any]:
    named = [{"name": f"{name}-{number}", **step} for number, step in enumerate(steps)]
    return {"name": name, "weight": 1, "limit_ms": limit_ms, "late_ms": limit_ms, "steps": named}


def plan(pace: dict[str, Any], *scenarios: dict[str, Any], **changes: Any) -> str:
    """Write a plan of two workers that report every 100 ms."""
    values = {
        "seed": 7,
        "workers": 2,
        "pace": pace,
        "step_timeout_ms": 600_000,
        "report_every_ms": 100,
        "scenarios": list(scenarios) or [scenario("work", NOTHING)],
    }
    return json.dumps(values | changes)


def start(text: str, target: str = "{}") -> Engine:
    return Engine(text, "null", target)


def pull_until(engine: Engine, end_s: float) -> list[Interval]:
    """Pull every interval up to a moment of the run's clock."""
    intervals: list[Interval] = []
    while not intervals or intervals[-1].to_s < end_s:
        interval = engine.next(5.0)
        assert interval is not None, "the engine fell silent"
        intervals.append(interval)
    return intervals


def drain(engine: Engine, drain_s: float = 5.0) -> list[Interval]:
    """End the run and pull the rest."""
    engine.stop(drain_s)
    rest = []
    while (interval := engine.next(drain_s + 5.0)) is not None:
        rest.append(interval)
    assert engine.ended
    return rest
