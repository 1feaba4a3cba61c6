"""The keys of steps for editors are those that the engine takes, and no others."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from headcount import _engine
from headcount.plan.file_schema import workload_schema
from headcount.protocols.registry import protocols
from headcount.protocols.step_keys import Operations, definitions_of, operations_of

WORKLOAD = Draft202012Validator(workload_schema())
PREDICATES = {"equals", "differs", "contains", "lacks", "matches", "above", "below", "exists"}
METHODS = set(operations_of(protocols()["http"])[0].names)
CLASSIC = {"search": {"key"}, "fetch": {"what", "messages", "which"}}
"""Mail: keys of the classic steps, which are others in the workload's own words."""
CLASSIC["send"] = {"recipients", "bytes", "attached_bytes", "invitation"}
OWN = {"search": {"folder": "x"}, "fetch": {"uid": "1"}, "send": {"to": "a@b.test"}}
"""A key that makes a step one in the workload's own words."""
DESCRIBED = [
    pytest.param(name, one, op, id=f"{name}-{op}")
    for name, protocol in protocols().items()
    for one in operations_of(protocol)
    for op in one.names
]


def sentence(protocol: str, step: Mapping[str, Any]) -> str:
    """The engine's error about a step; empty if it would play it."""
    scenario = {"name": "a", "weight": 1.0, "limit_ms": 1.0, "limit_per_mib_ms": 0.0}
    scenario |= {"late_ms": 1.0, "pause": None, "steps": [{"name": "a", **step}]}
    pace = {"pace": "closed", "think": {"draw": "fixed", "s": 1.0}}
    plan = {"seed": 1, "workers": 1, "pace": pace, "step_timeout_ms": 1000}
    plan |= {"report_every_ms": 1000, "log_on": "join", "scenarios": [scenario]}
    return "; ".join(text for _, text in _engine.plan_mistakes(json.dumps(plan), protocol))


def expected(text: str) -> set[str]:
    """The names that the engine expects in place of an unknown one."""
    return set(re.findall(r"`([^`]*)`", text.partition("expected")[2]))


def mistakes(protocol: str, step: Mapping[str, Any]) -> list[str]:
    """Where the schema finds mistakes in a workload with this step."""
    scenario = {"name": "a", "weight": 1, "limit": "1s", "steps": [{"name": "a", **step}]}
    pace = {"kind": "closed", "time": {"draw": "fixed", "mean": "1s"}}
    file = {"name": "a", "title": "A", "protocol": protocol, "pace": pace, "criteria": []}
    file |= {"scenarios": [scenario], "run": {"duration": "1m"}}
    return ["/".join(map(str, error.path)) for error in WORKLOAD.iter_errors(file)]


@pytest.mark.parametrize("name", protocols())
def test_the_operations_are_those_of_the_engine(name: str) -> None:
    found: dict[str | None, set[str]] = {}
    for one in operations_of(protocols()[name]):
        assert found.setdefault(one.server, set()).isdisjoint(one.names)
        found[one.server] |= set(one.names)
    for server, names in found.items():
        on = {"on": server} if server else {}
        assert expected(sentence(name, {"op": "nothing-like-it", **on})) == names


@pytest.mark.parametrize(("name", "operations", "op"), DESCRIBED)
def test_the_keys_are_those_of_the_engine(name: str, operations: Operations, op: str) -> None:
    step = {"op": op, **({"on": operations.server} if operations.server else {})}
    taken = expected(sentence(name, {**step, "nothing_like_it": 1}))
    if name.startswith("mail") and op in OWN and not operations.server:
        assert taken == CLASSIC[op]
        taken |= expected(sentence(name, {**step, **OWN[op], "nothing_like_it": 1}))
    if name == "http":
        taken -= METHODS  # its sentence about some keys begins with them
        taken -= set() if op == "request" else {"method"}  # which the operation is
    if name in ("files", "smb"):
        # Its sentence lacks what it takes out before, and has what only the other of two takes.
        looked = {"capture": {}, "check": []}
        heard = {key: sentence(name, {**step, key: one}) for key, one in looked.items()}
        taken |= {key for key, text in heard.items() if f"unknown field `{key}`" not in text}
        if op == "read":
            assert "text" in sentence(name, {**step, "text": "x"})
            taken.discard("text")
    assert taken == set(operations.keys)
    assert all(one.get("description") for one in operations.keys.values())
    assert mistakes(name, {**step, "nothing_like_it": 1}) == ["scenarios/0/steps/0"]
    # Without the wrong key nothing is wrong: only the engine reports missing keys.
    assert mistakes(name, step) == []


@pytest.mark.parametrize("kind", ["capture", "check"])
def test_the_keys_of_captures_and_checks_are_those_of_the_engine(kind: str) -> None:
    wrong: Any = {"nothing_like_it": 1}
    step = {"op": "get", "path": "/", kind: {"a": wrong} if kind == "capture" else [wrong]}
    taken = expected(sentence("http", step))
    schema = definitions_of(protocols()["http"])[kind.title()]["properties"]
    more = {"pick", "default"} if kind == "capture" else PREDICATES
    assert set(schema) == taken | more
    assert mistakes("http", step) == ["scenarios/0/steps/0"]


@pytest.mark.parametrize(
    ("protocol", "step"),
    [
        ("http", {"op": "get", "keys": "uniform"}),
        ("redis", {"op": "get", "path": "/"}),
        ("sql", {"op": "copy", "headers": {}}),
        ("smb", {"op": "read", "slot": 4}),
        ("mail", {"op": "sql", "statement": "SELECT 1"}),
        ("mail+sql", {"op": "sql", "statement": "SELECT 1"}),
        ("sql", {"op": "begin", "isolation": "none"}),
        ("http", {"op": "get", "path": "/", "check": [{"of": "weight", "equals": 1}]}),
    ],
)
def test_keys_of_another_protocol_are_refused(protocol: str, step: Mapping[str, Any]) -> None:
    assert mistakes(protocol, step) == ["scenarios/0/steps/0"]
    nested = {"page": "a", "steps": [{"if": {"value": "a", "equals": "a"}, "then": [step]}]}
    assert mistakes(protocol, nested) != []


def test_a_path_may_begin_with_a_placeholder() -> None:
    for path in ("/{n}", "{n}/a"):
        step = {"op": "get", "path": path}
        assert (mistakes("http", step), sentence("http", step)) == ([], "")
    wrong = {"op": "get", "path": "a"}
    assert mistakes("http", wrong)
    assert sentence("http", wrong)


def test_values_that_the_schema_lists_are_those_of_the_engine() -> None:
    for name, protocol in protocols().items():
        for operations in operations_of(protocol):
            on = {"on": operations.server} if operations.server else {}
            for key, schema in operations.keys.items():
                if schema.get("type") != "string" or "enum" not in schema:
                    continue
                for op in operations.names:
                    step = {"op": op, **on, key: "nothing-like-it"}
                    text = sentence(name, step)
                    listed = expected(text) or set(schema["enum"])
                    assert "nothing-like-it" in text or "missing field" in text, (name, op, key)
                    assert listed <= set(schema["enum"]) or "missing" in text, (name, op, key)
