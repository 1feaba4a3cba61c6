"""JSON Schemas of workload and plan files, for editors: keys, what they hold, and what they mean.

They are made from the models that read the files; `step_schema` adds the keys of steps.
"""

from collections.abc import Callable
from typing import Any

from headcount.fields.mistakes import TABLES
from headcount.plan.plan import Plan
from headcount.plan.step_schema import add_step_keys
from headcount.plan.workload import Workload

Schema = dict[str, Any]


def workload_schema() -> Schema:
    """The schema of workload files."""
    found: Schema = Workload.model_json_schema(mode="validation", by_alias=True)
    definitions = found["$defs"]
    _as_in_files(found, definitions)
    return _tidy(found)


def plan_schema() -> Schema:
    """The schema of plan files."""
    found: Schema = Plan.model_json_schema(mode="validation", by_alias=True)
    definitions = found["$defs"]
    _as_in_files(definitions["Workload"], definitions)
    return _tidy(found)


def _as_in_files(workload: Schema, definitions: Schema) -> None:
    """Adapt the schema to files, which may have keys that the models lack or store differently."""
    # Tables of protocols are keys of the file.
    properties = workload["properties"]
    del properties[TABLES]
    properties |= definitions["Tables"]["properties"]
    # In a script, the order gives the weight of a scenario.
    scenario = definitions["Scenario"]
    scenario["required"] = [key for key in scenario["required"] if key != "weight"]
    # A bare text or number is a variable, and a text such as "uniform:1s..3s" a pause.
    for name in _tables_of(properties["variables"]):
        name["anyOf"] = [{"$ref": name.pop("$ref")}, {"type": ["string", "number"]}]
    pause = definitions["Pause"]["properties"]["pause"]
    definitions["Pause"]["properties"]["pause"] = {"anyOf": [pause, {"type": "string"}]}
    add_step_keys(workload, definitions)


def _tables_of(variables: Schema) -> list[Schema]:
    """The tables that describe each variable in `[variables]`."""
    tables = [one for one in variables.get("anyOf", [variables]) if one.get("type") == "object"]
    named = [one for table in tables for one in table.get("patternProperties", {}).values()]
    others = [table.get("additionalProperties") for table in tables]
    return [*named, *(one for one in others if isinstance(one, dict))]


def _tidy(schema: Schema) -> Schema:
    """The schema without what TOML cannot have (null), and titles that repeat the key."""
    found: Schema = _each(schema, _without_null)
    found["title"] = f"A {schema['title'].lower()} file of Headcount"
    used = _references(found)
    found["$defs"] = {name: one for name, one in found["$defs"].items() if name in used}
    return found


def _without_null(part: Schema) -> Schema:
    kept = {key: value for key, value in part.items() if key != "title"}
    if kept.get("default", "") is None:
        del kept["default"]
    if "anyOf" in kept:
        some = [one for one in kept["anyOf"] if one != {"type": "null"}]
        rest = {key: value for key, value in kept.items() if key != "anyOf"}
        kept = {**some[0], **rest} if len(some) == 1 else {"anyOf": some, **rest}
    return kept


def _each(value: Any, change: Callable[[Schema], Schema]) -> Any:
    """A schema with every part changed, except file keys that are named like schema keys."""
    if isinstance(value, list):
        return [_each(one, change) for one in value]
    if not isinstance(value, dict):
        return value
    inner = {}
    for key, one in value.items():
        if key in ("properties", "patternProperties", "$defs"):
            inner[key] = {name: _each(part, change) for name, part in one.items()}
        elif key in ("default", "enum", "const", "required"):
            inner[key] = one
        else:
            inner[key] = _each(one, change)
    return change(inner)


def _references(value: Any) -> set[str]:
    """The names of the definitions that are referred to."""
    if isinstance(value, list):
        return {name for one in value for name in _references(one)}
    if not isinstance(value, dict):
        return set()
    own = {value["$ref"].rpartition("/")[2]} if isinstance(value.get("$ref"), str) else set()
    return own | {name for one in value.values() for name in _references(one)}
