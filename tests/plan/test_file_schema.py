"""The schemas for editors: they accept what Headcount reads, and refuse misspelt keys."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from headcount import workloads
from headcount.cli import run_line
from headcount.errors import ExitCode
from headcount.plan.file_schema import plan_schema, workload_schema
from headcount.plan.resolve import Overrides, resolve
from headcount.protocols.registry import lab_target, protocol_of

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").rglob("*.toml"))
WORKLOAD = Draft202012Validator(workload_schema())
PLAN = Draft202012Validator(plan_schema())
EXPLAINED = (
    "Workload",
    "Run",
    "Scenario",
    "Step",
    "Think",
    "Condition",
    "Variable",
    "If",
    "Choose",
)
SHOP = ROOT / "examples" / "journeys" / "web-shop.toml"


def mistakes(values: dict[str, Any]) -> list[str]:
    """Where the schema of workloads finds mistakes."""
    return ["/".join(map(str, error.path)) for error in WORKLOAD.iter_errors(values)]


@pytest.mark.parametrize("name", workloads.names())
def test_every_workload_is_accepted_and_its_plan(name: str) -> None:
    assert mistakes(tomllib.loads(workloads.text_of(name))) == []
    workload = workloads.load(name)
    plan = resolve(workload, lab_target(protocol_of(workload.protocol)), Overrides(seed=1))
    assert list(PLAN.iter_errors(tomllib.loads(plan.to_toml()))) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_is_accepted(path: Path) -> None:
    assert mistakes(tomllib.loads(path.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("limit =", "limt =", "scenarios/0"),
        ("title =", "titel =", ""),
        ("mean =", "maen =", "pace/time"),
        ("{ int =", "{ itn =", "variables/quantity"),
        ('duration = "1m"', "duration = true", "run/duration"),
        ("weight = 3", 'weight = "a"', "scenarios/0/weight"),
        ("weight = 3", "weight = -1", "scenarios/0/weight"),
        ("repeat =", "repaet =", "scenarios/1/steps/3"),
        ('op = "get"\npath = "/"', 'path = "/"', "setup/0"),
        ("[variables]", "[varables]", ""),
        ("capture =", "captrue =", "setup/0"),
        ("css =", "cxx =", "setup/0"),
        ('op = "get"', 'op = "fetch"', "setup/0"),
    ],
)
def test_a_mistake_is_found_where_it_is(old: str, new: str, where: str) -> None:
    text = SHOP.read_text("utf-8")
    assert old in text
    assert where in mistakes(tomllib.loads(text.replace(old, new, 1)))


def test_short_forms_are_accepted() -> None:
    values = tomllib.loads(SHOP.read_text("utf-8"))
    values["variables"] |= {"site": "shop-{n}", "size": 3}
    values["run"]["duration"] = 60
    values["scenarios"][1]["steps"][1] = {"pause": "uniform:1s..3s"}
    assert mistakes(values) == []


def test_schemas_offer_no_null() -> None:
    for schema in (workload_schema(), plan_schema()):
        assert "null" not in str(schema)
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("name", EXPLAINED)
def test_every_key_is_explained_where_it_is_written(name: str) -> None:
    schema = plan_schema()["$defs"]
    for key, about in schema[name]["properties"].items():
        words = about.get("description") or schema[about["$ref"].rpartition("/")[2]]["description"]
        assert words, key


@pytest.mark.parametrize("option", [(), ("--plan",)])
def test_the_command_prints_what_is_published(
    capsys: pytest.CaptureFixture[str], option: tuple[str, ...]
) -> None:
    assert run_line(["workloads", "schema", *option]) == ExitCode.PASSED
    name = "plan" if option else "workload"
    file = ROOT / "docs" / "schemas" / f"{name}.schema.json"
    assert capsys.readouterr().out == file.read_text("utf-8")
