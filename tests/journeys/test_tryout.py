"""One user who tries out a workload: what is played, and what is shown of it."""

from pathlib import Path

import pytest

from headcount.controller import tryout
from headcount.controller.access import Secrets
from headcount.controller.sut import connect
from headcount.plan.plan import validate
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.workload import Workload


def test_a_scenario_that_is_named_twice_is_played_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tryout, "LONGEST_S", 2.0)
    look = [{"name": "open", "op": "open", "path": "."}, {"name": "list", "op": "list"}]
    values = {
        "name": "x",
        "title": "x",
        "protocol": "files",
        "criteria": ["errors<1%"],
        "pace": {"kind": "closed", "time": {"draw": "fixed", "mean": "1s"}},
        "run": {"duration": "1s"},
        "scenarios": [{"name": "look", "weight": 1, "limit": "1s", "steps": look}],
    }
    workload = validate(Workload, values, "it")
    plan = resolve(workload, f"file://{tmp_path}", Overrides(users=1, seed=1))
    events: list[tryout.Event] = []
    with connect(plan, Secrets()) as sut:
        target = sut.access.engine_target()
        assert tryout.try_out(plan, target, events.append, ["look", "look"]), events
    ends = [one for one in events if isinstance(one, tryout.ScenarioEnd)]
    assert ends == [tryout.ScenarioEnd("look", failed=False)]
