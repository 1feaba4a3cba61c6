"""The trace that the engine keeps when a plan is tried."""

import json
from contextlib import closing
from typing import Any

import pytest
from engine_plans import FAIL, NOTHING, closed, plan, pull_until, scenario, start


@pytest.mark.parametrize("second", [NOTHING, FAIL, FAIL | {"ends_session": True}])
def test_each_scenario_is_played_once(second: dict[str, Any]) -> None:
    names = ["look", "buy"]
    text = plan(
        closed(0.01),
        scenario("look", NOTHING),
        scenario("buy", second),
        workers=1,
        trace=True,
        script={"names": names, "order": [0, 1], "entries": [0]},
    )
    with closing(start(text)) as engine:
        engine.set_users(1, 0.0)
        pull_until(engine, 0.5)
        entries = [json.loads(entry) for entry in engine.take_trace()]
    assert [entry["end"] for entry in entries if "end" in entry] == names
