"""What a JSON Schema of workloads says of steps: which keys each has depends on the protocol.

Editors that only look where a key may stand are offered the steps of all protocols. Those that
evaluate conditions mark what another protocol has: the entries of `steps`, which stand in each
other, are there once more for each protocol.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from headcount.protocols.protocol import Protocol
from headcount.protocols.registry import protocols
from headcount.protocols.step_keys import Operations, definitions_of, operations_of

Schema = dict[str, Any]
ENTRY, STEP, SCENARIO = "Entry", "Step", "Scenario"


def add_step_keys(workload: Schema, definitions: Schema) -> None:
    """Have the schema of a workload, with its definitions, say what keys each step has."""
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
    # The last accepts any step: what a protocol has is decided below, where it is known.
    step["anyOf"] = [*(_reference(f"{STEP}.{name}") for name in described), {"type": "object"}]
    workload |= _of_protocols(list(described.items()))


def _described() -> dict[str, list[Protocol]]:
    """Protocols whose steps are known, by what their definitions are called: alike in a family."""
    found: dict[str, list[Protocol]] = {}
    for one in protocols().values():
        if operations_of(one):
            found.setdefault((one.family or one.name).replace("+", "-"), []).append(one)
    return found


def _of_protocols(described: Sequence[tuple[str, Sequence[Protocol]]]) -> Schema:
    """What holds of a workload by its protocol.

    One condition stands in the other: Taplo offers no keys of what has `allOf`.
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
    """Put `new` wherever `old` is inside of a value."""
    places = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in list(places):
        if one == old:
            value[key] = new
        elif isinstance(one, dict | list):
            _replace(one, old, new)


def _has(value: Any, name: str) -> bool:
    """Whether a definition is referred to anywhere inside of a value."""
    if isinstance(value, Mapping):
        return value == _reference(name) or any(_has(one, name) for one in value.values())
    return isinstance(value, list) and any(_has(one, name) for one in value)


def _renamed(value: Any, names: set[str], suffix: str) -> Any:
    """A copy that refers to the definitions of a protocol in place of the general ones."""
    if isinstance(value, list):
        return [_renamed(one, names, suffix) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: _renamed(one, names, suffix) for key, one in value.items()}
    reference = value.get("$ref")
    if isinstance(reference, str) and (name := reference.rpartition("/")[2]) in names:
        found["$ref"] = f"#/$defs/{name}.{suffix}"
    return found
