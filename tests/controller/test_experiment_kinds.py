"""Which scenarios of a workload can be played by themselves, to compare what they cost."""

import copy
from typing import Any

import pytest

from headcount.controller.experiments.kinds import scenarios_of
from headcount.controller.experiments.player import loaded_values
from headcount.plan.plan import Plan, validate
from headcount.plan.workload import Workload
from headcount.workloads import load

STEPS = [
    {"name": "home", "op": "get", "path": "/"},
    {"name": "list", "op": "get", "path": "/list"},
]


def kinds(workload: dict[str, Any]) -> list[tuple[str, list[Any]]]:
    """Names and steps of the kinds of a workload."""
    values = {
        "target": "http://127.0.0.1:1",
        "mode": "level",
        "levels": [4],
        "seed": 1,
        "workers": 1,
        "workload": workload,
    }
    plan = validate(Plan, values, "the test")
    found = scenarios_of(plan, loaded_values(plan))
    return [(one["name"], one["steps"]) for one in found]


def workload(*scenarios: list[dict[str, Any]], **more: object) -> dict[str, Any]:
    """A workload with scenarios of these steps."""
    made = [
        {"name": f"s{number}", "weight": 1, "limit": "1s", "steps": copy.deepcopy(steps)}
        for number, steps in enumerate(scenarios)
    ]
    return {
        "name": "test",
        "title": "Test",
        "protocol": "http",
        "recreates": "nothing",
        "description": "Nothing.",
        "sources": [],
        "deviations": [],
        "criteria": ["p95<=1s"],
        "pace": {"kind": "closed", "time": {"draw": "fixed", "mean": "1s"}},
        "run": {"duration": "5s"},
        "scenarios": made,
        **more,
    }


def test_scenarios_that_users_draw_are_kinds() -> None:
    assert [name for name, _ in kinds(workload(STEPS, STEPS[:1]))] == ["s0", "s1"]


def test_pages_of_one_scenario_are_kinds_unless_they_depend_on_each_other() -> None:
    assert [name for name, steps in kinds(workload(STEPS)) if len(steps) == 1] == ["home", "list"]
    posting = {"name": "send", "op": "post", "path": "/send", "body": "a=1"}
    assert kinds(workload([*STEPS, posting])) == []
    assert kinds(workload(STEPS[:1])) == []


def test_classes_of_pages_are_kinds() -> None:
    mix: Workload = load("web-mix")
    found = kinds(mix.model_dump(mode="json", exclude_none=True))
    assert [name for name, _ in found] == ["class0", "class1", "class2", "class3"]
    assert [steps[0]["page"] for _, steps in found] == [[name] for name, _ in found]


@pytest.mark.parametrize("names", [["s0", "s1"]])
def test_scenarios_that_are_played_in_an_order_are_not_kinds(names: list[str]) -> None:
    ordered = workload(STEPS, STEPS, script={"order": names})
    for scenario in ordered["scenarios"]:
        del scenario["weight"]
    assert kinds(ordered) == []
