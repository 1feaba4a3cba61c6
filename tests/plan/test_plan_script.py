"""Scripts and pauses: the order that users follow, the weights that follow from it, the pace."""

import json
from copy import deepcopy
from typing import Any

import pytest
from plan_cases import TREE, WORKLOAD, plan

from headcount.errors import InputError
from headcount.plan.plan import Plan, engine_plan, load, validate
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.workload import Workload

STEPS = [{"name": "read", "op": "read", "bytes": 4096}]


def scenario(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "limit": "1s", "steps": STEPS, **more}


def values(**changes: Any) -> dict[str, Any]:
    """A script of 6 turns in two loops, each with a rest."""
    return {
        **deepcopy(WORKLOAD),
        "script": {"loops": [["open", "read", "rest"], ["read", "read", "rest"]]},
        "pace": {"kind": "closed", "time": {"draw": "fixed", "mean": "2s"}},
        "scenarios": [
            scenario("open"),
            scenario("read", pause={"draw": "uniform", "low": "5s", "high": "10s"}),
            scenario("rest", pause={"draw": "exponential", "mean": "15m"}),
        ],
    } | changes


def scripted(**changes: Any) -> Workload:
    return validate(Workload, values(**changes), "the workload")


def planned(**changes: Any) -> Plan:
    return plan(workload=values(**changes))


def test_weights_are_how_often_a_scenario_comes() -> None:
    workload = scripted()
    assert [each.weight for each in workload.scenarios] == [1, 3, 2]
    assert workload.script is not None
    assert (workload.script.begins, len(workload.script.turns)) == ([0, 3], 6)
    # (2 + 3 x 7.5 + 2 x 900) / 6
    assert workload.pause_mean_s == pytest.approx(304.0833, abs=1e-3)


def test_pauses_of_drawn_scenarios_count_by_weight() -> None:
    drawn = values(script=None)
    for each, weight in zip(drawn["scenarios"], (2, 1, 1), strict=True):
        each["weight"] = weight
    assert validate(Workload, drawn, "it").pause_mean_s == (2 * 2 + 7.5 + 900) / 4
    assert plan().workload.pause_mean_s == 1


def test_the_engine_is_told_the_order_and_the_pauses() -> None:
    order = json.loads(engine_plan(planned()))
    assert order["script"] == {
        "names": ["open", "read", "rest"],
        "order": [0, 1, 2, 1, 1, 2],
        "entries": [0, 3],
    }
    assert [each["pause"] for each in order["scenarios"]] == [
        None,
        {"draw": "uniform", "low_s": 5, "high_s": 10},
        {"draw": "exponential", "mean_s": 900},
    ]
    assert order["log_on"] == "first-scenario"
    assert "script" not in json.loads(engine_plan(plan()))


def test_all_users_may_begin_at_the_start_and_an_order_is_one_loop() -> None:
    loops = [["open", "read"], ["rest"]]
    start = scripted(script={"loops": loops, "entries": "start"}).script
    order = scripted(script={"order": ["open", "read", "rest"]}).script
    assert start is not None
    assert order is not None
    assert start.begins == order.begins == [0]
    assert start.turns == order.turns == ["open", "read", "rest"]


def test_compression_divides_every_pause_and_nothing_else() -> None:
    life, fast = planned(), planned(run={"duration": "10s", "compress": 8, "log_on": "join"})
    slow, quick = json.loads(engine_plan(life)), json.loads(engine_plan(fast))
    assert quick["pace"] == {"pace": "closed", "think": {"draw": "fixed", "s": 0.25}}
    assert quick["scenarios"][1]["pause"] == {"draw": "uniform", "low_s": 0.625, "high_s": 1.25}
    assert quick["scenarios"][2]["pause"] == {"draw": "exponential", "mean_s": 112.5}
    assert (slow["log_on"], quick["log_on"]) == ("first-scenario", "join")
    for order in (slow, quick):
        for key in ("pace", "log_on"):
            del order[key]
        for each in order["scenarios"]:
            del each["pause"]
    assert slow == quick


def test_a_plan_with_a_script_is_read_back_as_it_was(tmp_path: Any) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(planned().to_toml(), "utf-8")
    assert load(path) == planned()


def test_options_change_the_compression_and_not_scripted_pauses() -> None:
    made = resolve(scripted(), "lab:app", Overrides(users=2, compress=4))
    assert made.workload.run.compress == 4
    with pytest.raises(InputError, match=r"run\.compress"):
        resolve(scripted(), "lab:app", Overrides(users=2, compress=0.5))
    assert resolve(scripted(), "lab:app", Overrides(think="9s")).workload.pace.time.mean_s == 9
    own = [{**each, "pause": {"draw": "fixed", "mean": "1s"}} for each in values()["scenarios"]]
    with pytest.raises(InputError, match="--think would change nothing; --compress"):
        resolve(scripted(scenarios=own), "lab:app", Overrides(think="9s"))
    with pytest.raises(InputError, match="an open pace has a schedule and no pauses"):
        resolve(scripted(), "lab:app", Overrides(pace="9s"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"script": {"order": ["open", "raed"]}}, 'called "raed"; did you mean "read"?'),
        ({"script": {"order": ["open", "read"]}}, 'the scenario "rest" is never played'),
        ({"script": {}}, "give either order (names of scenarios) or loops"),
        ({"script": {"order": ["open"], "loops": [["open"]]}}, "give either order"),
        ({"script": {"order": []}}, "script.order"),
        ({"script": {"loops": [[]]}}, "script.loops.0"),
        ({"script": {"order": 7}}, "script.order"),
        ({"script": {"ordre": ["open"]}}, 'did you mean "order"?'),
        ({"script": {"order": ["open"], "entries": "end"}}, "script.entries"),
        (
            {"scenarios": [scenario("open", weight=2), *values()["scenarios"][1:]]},
            'scenario "open": with a script a scenario has no weight; remove it',
        ),
        ({"script": None}, "scenarios.0.weight: is missing"),
        ({"run": {"duration": "10s", "compress": 1001}}, "run.compress"),
        ({"run": {"duration": "10s", "log_on": "later"}}, "run.log_on"),
        (
            {"pace": {"kind": "open", "time": {"draw": "fixed", "mean": "1s"}}},
            'scenario "read": an open pace has a schedule and no pauses',
        ),
    ],
)
def test_an_invalid_script_is_a_mistake(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        scripted(**changes)
    assert message in str(caught.value)


def test_a_script_and_a_program_exclude_each_other() -> None:
    smb = {
        **{key: value for key, value in values().items() if key != "data"},
        "protocol": "smb",
        "tree": TREE,
        "program": {"kind": "disk-mix"},
    }
    with pytest.raises(InputError, match=r"\[script\] and \[program\] exclude each other"):
        validate(Workload, smb, "the workload")
