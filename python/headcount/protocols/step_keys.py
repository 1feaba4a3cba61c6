"""The keys of each protocol's steps, for editors: `steps/*.toml`.

The engine compiles steps and reports errors in them. These files list its keys, too, and explain
them; a test compares both.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from headcount.protocols.protocol import Protocol

Schema = Mapping[str, Any]
"""A part of a JSON Schema."""


@dataclass(frozen=True, slots=True)
class Operations:
    """Operations that have the same keys.

    Attributes:
        names: As `op` has them.
        keys: What each key may hold, and what it means.
        server: The second of two protocols, if the operations belong to that (`on`).

    """

    names: Sequence[str]
    keys: Mapping[str, Schema]
    server: str | None = None


@cache
def _file(name: str) -> Mapping[str, Any]:
    path = resources.files("headcount.protocols") / "steps" / f"{name}.toml"
    return tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}


def operations_of(protocol: Protocol) -> list[Operations]:
    """What users of a protocol can do; empty for one whose steps are not described."""
    if protocol.parts is not None:
        first, second = (_operations(name) for name in protocol.parts)
        of_second = [Operations(one.names, one.keys, protocol.parts[1]) for one in second]
        return [*first, *of_second]
    return _operations(protocol.family or protocol.name)


def _operations(name: str) -> list[Operations]:
    file, shared = _file(name), _file("shared")
    keys = {**shared["keys"], **file.get("keys", {})}
    return [
        Operations(one["ops"], {key: keys[key] for key in one["keys"]})
        for one in file.get("steps", ())
    ]


def definitions_of(protocol: Protocol) -> Mapping[str, Schema]:
    """What the keys of its steps refer to, by name."""
    shared = _file("shared")
    source, predicate = shared["source"], shared["predicate"]
    found = {
        "Capture": _table({**source, **shared["pick"]}, "Where a value is that the user keeps."),
        "Check": _table({**source, **predicate}, "Where a value is, and what it must be."),
    }
    names = protocol.parts or (protocol.family or protocol.name,)
    return {
        **found,
        **{key: one for name in names for key, one in _file(name).get("defs", {}).items()},
    }


def _table(keys: Mapping[str, Schema], description: str) -> Schema:
    return {
        "type": "object",
        "description": description,
        "properties": keys,
        "additionalProperties": False,
    }
