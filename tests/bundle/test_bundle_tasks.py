"""Tasks of a real run of the engine, through the bundle and back."""

import json
from pathlib import Path

import pytest

from headcount._engine import Engine, Histogram, Interval
from headcount.bundle import hlog, series
from headcount.bundle.writer import BundleWriter
from headcount.controller import second

LOOK = {"name": "look", "op": "serve", "service": {"draw": "fixed", "s": 0.003}, "task": "look"}
FAIL = {"name": "fail", "op": "fail", "ends_session": False, "task": "change"}
PLAN = {
    "seed": 7,
    "workers": 2,
    "pace": {"pace": "closed", "think": {"draw": "fixed", "s": 0.02}},
    "step_timeout_ms": 10_000,
    "report_every_ms": 100,
    "scenarios": [
        {"name": "round", "weight": 1, "limit_ms": 1000, "late_ms": 1000, "steps": [LOOK, FAIL]}
    ],
}


@pytest.fixture(scope="module")
def played() -> tuple[Engine, list[Interval]]:
    engine = Engine(json.dumps(PLAN), "null", "{}")
    engine.next(5.0)  # before anybody is there
    engine.set_users(10, 0.0)
    intervals: list[Interval] = []
    while not intervals or intervals[-1].to_s < 1.5:
        interval = engine.next(5.0)
        assert interval is not None
        intervals.append(interval)
    engine.stop(1.0)
    engine.close()
    return engine, intervals


def test_every_second_of_every_task_is_kept(
    played: tuple[Engine, list[Interval]], tmp_path: Path
) -> None:
    engine, intervals = played
    names = engine.task_names
    bundle = BundleWriter(tmp_path)
    for each in intervals:
        figures = second.figures(
            each,
            ["round"],
            engine.step_names,
            {},
            names,
            t_s=each.to_s,
            level=1,
            phase="steady",
        )
        bundle.second(figures, second.histograms(each, ["round"], engine.step_names, names))
    bundle.close()
    kept = series.read(tmp_path)
    completed = sum(line["tasks"].get("look", {}).get("completed", 0) for line in kept)
    failed = sum(line["tasks"].get("change", {}).get("failed", 0) for line in kept)
    assert completed == sum(each.steps[0].completed for each in intervals) > 50
    assert failed == sum(each.scenarios[0].failed for each in intervals) > 50
    for line, each in zip(kept, intervals, strict=True):
        happened = {n for n, t in zip(names, each.tasks, strict=True) if t.completed or t.failed}
        assert set(line["tasks"]) == happened  # absent, never zero
    log = hlog.read(tmp_path / "histograms.hlog")
    assert "task/change" not in log  # none completed
    assert Histogram.merge([h for _, _, h in log["task/look"]]).count == completed
