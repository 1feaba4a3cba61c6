"""The part of the JSON Schema of workloads about steps: their keys depend on the protocol.

Editors that only look where a key may stand offer the steps of all protocols. Editors that evaluate
conditions mark those of another protocol: the entries of `steps`, which nest in each other, are
repeated for each protocol.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from headcount.protocols.protocol import Protocol
from headcount.protocols.registry import protocols
from headcount.protocols.step_keys import Operations, definitions_of, operations_of

Schema = dict[str, Any]
ENTRY, STEP, SCENARIO = "Entry", "Step", "Scenario"


def add_step_keys(workload: Schema, definitions: Schema) -> None:
    """Add the keys of each step to the schema of a workload and its definitions."""
    entry = definitions["Page"]["properties"]["steps"]["items"]
    for part in (workload["properties"], *definitions.values()):
        _replace(part, entry, _reference(ENTRY))
    definitions[ENTRY] = {"description": "An entry of `steps`.", **entry}
    step = definitions[STEP]
    flow = {name: one for name, one in definitions.items() if name == ENTRY or _has(one, ENTRY)}
    described = _described()
    for name, alike in described.items():
        definitions |= definitions_of(alike[0])
        for kind, one in flow.items():
            definitions[f"{kind}.{name}"] = _renamed(one, {*flow, STEP}, name)
        definitions[f"{STEP}.{name}"] = {
            "description": step["description"],
            "anyOf": [_step(one, step["properties"]) for one in operations_of(alike[0])],
        }
    # The last one accepts any step: the keys of a protocol are decided below, where it is known.
    step["anyOf"] = [*(_reference(f"{STEP}.{name}") for name in described), {"type": "object"}]
    workload |= _of_protocols(list(described.items()))


def _described() -> dict[str, list[Protocol]]:
    """Protocols with known steps, by the names of their definitions, which a family shares."""
    found: dict[str, list[Protocol]] = {}
    for one in protocols().values():
        if operations_of(one):
            found.setdefault((one.family or one.name).replace("+", "-"), []).append(one)
    return found


def _of_protocols(described: Sequence[tuple[str, Sequence[Protocol]]]) -> Schema:
    """The part of a workload's schema that depends on its protocol.

    Conditions are nested in each other: Taplo offers no keys inside `allOf`.
    """
    if not described:
        return {}
    (name, alike), *others = described
    names = [one.name for one in alike]
    return {
        "if": {"properties": {"protocol": {"enum": names}}, "required": ["protocol"]},
        "then": {
            "properties": {
                "setup": {"items": _reference(f"{ENTRY}.{name}")},
                "scenarios": {"items": _reference(f"{SCENARIO}.{name}")},
            }
        },
        "else": _of_protocols(others),
    }


def _step(operations: Operations, common: Schema) -> Schema:
    """A step with one of these operations."""
    op = {**common["op"], "enum": list(operations.names)}
    on = {"const": operations.server, "description": "The second protocol, which it is of"}
    return {
        "type": "object",
        "properties": {
            **common,
            "op": op,
            **({"on": on} if operations.server else {}),
            **operations.keys,
        },
        "required": [*("name", "op"), *(("on",) if operations.server else ())],
        "additionalProperties": False,
    }


def _reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _replace(value: Any, old: Schema, new: Schema) -> None:
    """Replace `old` by `new` everywhere inside a value."""
    places = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in list(places):
        if one == old:
            value[key] = new
        elif isinstance(one, dict | list):
            _replace(one, old, new)


def _has(value: Any, name: str) -> bool:
    """Whether anything inside a value refers to a definition."""
    if isinstance(value, Mapping):
        return value == _reference(name) or any(_has(one, name) for one in value.values())
    return isinstance(value, list) and any(_has(one, name) for one in value)


def _renamed(value: Any, names: set[str], suffix: str) -> Any:
    """A copy that refers to the definitions of a protocol instead of the general ones."""
    if isinstance(value, list):
        return [_renamed(one, names, suffix) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: _renamed(one, names, suffix) for key, one in value.items()}
    reference = value.get("$ref")
    if isinstance(reference, str) and (name := reference.rpartition("/")[2]) in names:
        found["$ref"] = f"#/$defs/{name}.{suffix}"
    return found
