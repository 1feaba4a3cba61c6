"""The flow of a scenario: what workload files may have, and what the engine gets."""

import json
from pathlib import Path
from typing import Any

import pytest

from headcount.errors import InputError
from headcount.plan.flow import Set, most_steps, operations, pauses, texts
from headcount.plan.plan import engine_plan, load, validate
from headcount.plan.playable import check_identity, check_playable
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.workload import Workload

GET = {"name": "get", "op": "get", "path": "/"}
STEPS: list[dict[str, Any]] = [
    GET,
    {"if": {"value": "{n}", "above": 3}, "then": [GET, GET], "else": [GET]},
    {"repeat": [1, 3], "steps": [{"pause": "uniform:1s..3s"}, GET]},
    {"repeat": {"until": {"value": "{n}", "equals": 3}, "at_most": 5}, "steps": [GET]},
    {"choose": [{"weight": 3, "steps": [GET]}, {"steps": []}]},
    {"set": {"total": 5}},
    {"page": "front", "steps": [GET, {"pause": "2s"}]},
]


def workload(steps: list[dict[str, Any]], **more: Any) -> Workload:
    """A workload of one scenario with these steps."""
    values = {
        "name": "x",
        "title": "x",
        "protocol": "http",
        "criteria": ["errors<1%"],
        "pace": {"kind": "closed", "time": {"draw": "fixed", "mean": "1s"}},
        "run": {"duration": "1s"},
        "scenarios": [{"name": "one", "weight": 1, "limit": "1s", "steps": steps}],
        **more,
    }
    return validate(Workload, values, "it")


def test_entries_are_read_and_written_back() -> None:
    read = workload(STEPS)
    assert validate(Workload, read.model_dump(mode="json", exclude_none=True), "it") == read
    entries = read.scenarios[0].steps
    assert len(list(operations(entries))) == 8
    assert most_steps(entries) == 1 + 2 + 3 + 5 + 1 + 0 + 1
    assert [pause.mean_s for pause in pauses(entries)] == [2.0, 2.0]
    assert texts(entries).startswith("get path=/; if {n} above 3 (get path=/; get path=/) else (")


def test_values_are_shown_as_files_have_them() -> None:
    check = {"json": "$.errors", "exists": False}
    condition = {"value": "{n}", "exists": True}
    entries = workload(
        [{**GET, "expect": [200, 404], "check": [check]}, {"if": condition, "then": [GET]}]
    )
    shown = texts([*entries.scenarios[0].steps, Set.model_validate({"set": {"a": True}})])
    assert shown == (
        "get path=/ expect=200,404 check={json=$.errors exists=false}; "
        "if {n} exists true (get path=/); set a = true"
    )


def test_a_plan_file_keeps_the_flow(tmp_path: Path) -> None:
    plan = resolve(workload(STEPS, setup=[GET]), "http://127.0.0.1/", Overrides(users=1, seed=1))
    path = tmp_path / "plan.toml"
    path.write_text(plan.to_toml(), "utf-8")
    assert load(path) == plan


def test_the_engine_gets_compressed_pauses() -> None:
    overrides = Overrides(users=1, seed=1, compress=10.0)
    plan = resolve(workload(STEPS, setup=[GET]), "http://127.0.0.1/", overrides)
    values = json.loads(engine_plan(plan))
    steps = values["scenarios"][0]["steps"]
    assert steps[1]["if"] == {"value": "{n}", "above": 3}
    assert steps[1]["else"] == [GET]
    assert steps[2]["repeat"] == [1, 3]
    assert steps[2]["steps"][0] == {"pause": {"draw": "uniform", "low_s": 0.1, "high_s": 0.3}}
    assert steps[3]["repeat"]["at_most"] == 5
    assert steps[4]["choose"][0] == {"weight": 3.0, "steps": [GET]}
    assert steps[5] == {"set": {"total": 5}}
    assert steps[6]["steps"][1] == {"pause": {"draw": "fixed", "s": 0.2}}
    assert values["setup"] == [GET]


def test_values_are_set_in_the_order_of_the_file() -> None:
    entry = {"set": {"old": "{current}", "current": "{n}"}}
    read = workload([entry, GET])
    plan = resolve(read, "http://127.0.0.1/", Overrides(users=1, seed=1))
    steps = json.loads(engine_plan(plan))["scenarios"][0]["steps"]
    assert [*steps[0]["set"].items()] == [("old", "{current}"), ("current", "{n}")]
    check_playable(plan, "it")
    assert read.scenarios[0].steps[0].model_dump() == entry


def test_a_mistake_in_one_of_several_values_is_named() -> None:
    read = workload([GET, {"set": {"a": "1", "n": "2"}}])
    plan = resolve(read, "http://127.0.0.1/", Overrides(users=1, seed=1))
    with pytest.raises(InputError, match=r'scenarios\.0\.steps\.1: n: "n" is built in'):
        check_playable(plan, "it")


@pytest.mark.parametrize(
    ("entry", "part"),
    [
        ({"pause": "often"}, "pause"),
        ({"pause": "uniform:1s"}, "uniform:1s..3s"),
        ({"if": {"value": "{n}"}, "then": [GET]}, "it has no condition"),
        ({"if": {"value": "{n}", "abov": 1}, "then": [GET]}, "abov"),
        ({"if": {"value": "{n}", "above": 1}}, "then"),
        ({"repeat": [3, 1], "steps": [GET]}, "the lower number first"),
        ({"repeat": 2}, "steps"),
        ({"repeat": 2, "steps": []}, "steps"),
        ({"choose": [{"weight": 0, "steps": [GET]}]}, "above 0"),
        ({"name": "a"}, "op"),
        ({"op": "get"}, "name"),
    ],
)
def test_mistakes_are_named(entry: dict[str, Any], part: str) -> None:
    with pytest.raises(InputError) as found:
        workload([GET, entry])
    assert part in str(found.value)


def test_braces_in_texts_for_people_mean_nothing() -> None:
    titled = {"name": "one", "title": "As {username}", "weight": 1, "limit": "1s", "steps": [GET]}
    read = workload([], scenarios=[titled], description="Users log on as {username}.")
    plan = resolve(read, "http://127.0.0.1/", Overrides(users=1, seed=1))
    check_identity(plan, "it")
    titled["steps"] = [{**GET, "op": "post", "json": {"title": "{username}"}}]
    plan = resolve(workload([], scenarios=[titled]), "http://127.0.0.1/", Overrides(users=1))
    with pytest.raises(InputError, match=r"a mistake:\n  scenarios\.0\.steps\.0\.json\.title:"):
        check_identity(plan, "it")


@pytest.mark.parametrize("kind", ["page", "lua", "transaction"])
def test_the_key_of_a_mistake_has_no_kind_of_entry(kind: str) -> None:
    steps = [{"name": "a b", "op": "get", "path": "/"}]
    with pytest.raises(InputError, match=r"scenarios\.0\.steps\.0\.steps\.0\.name: it is"):
        workload([{kind: "x", "steps": steps}])
    with pytest.raises(InputError, match=rf"scenarios\.0\.steps\.0\.{kind}: it is 5"):
        workload([{kind: 5, "steps": [GET]}])


def test_a_scenario_needs_an_operation() -> None:
    with pytest.raises(InputError, match="at least one operation"):
        workload([{"pause": "1s"}])


SELECT = {"name": "select", "op": "sql", "statement": "SELECT 1"}


def test_transactions_are_for_databases() -> None:
    read = workload([{"transaction": "pay", "retries": 2, "steps": [SELECT]}], protocol="sql")
    (entry,) = read.scenarios[0].steps
    assert entry.text == "transaction pay at most 3 times (sql statement=SELECT 1)"
    assert most_steps([entry]) == 3
    with pytest.raises(InputError, match="only a database has transactions"):
        workload([{"transaction": "pay", "steps": [GET]}])
    with pytest.raises(InputError, match='setup, transaction "pay": only a database'):
        workload([GET], setup=[{"transaction": "pay", "steps": [GET]}])
    inner = {"transaction": "inner", "steps": [SELECT]}
    with pytest.raises(InputError, match="a transaction cannot be in another"):
        workload([{"transaction": "outer", "steps": [inner]}], protocol="sql")
    with pytest.raises(InputError, match="it can have no key on"):
        workload([{"transaction": "pay", "on": "sql", "steps": [SELECT]}], protocol="sql")
