"""Pydantic's errors about values, in words for people who write files."""

from collections.abc import Mapping
from typing import Any

KINDS = {
    "string_type": 'a text in quotes, such as "{given}"',
    "int_type": "a whole number, without quotes",
    "int_parsing": "a whole number, without quotes",
    "int_from_float": "a whole number",
    "float_type": "a number, without quotes",
    "float_parsing": "a number, without quotes",
    "bool_type": "true or false, without quotes",
    "bool_parsing": "true or false, without quotes",
    "list_type": "a list: [ ... ]",
    "tuple_type": "a list: [ ... ]",
    "dict_type": "a table: {{ ... }}",
    "model_type": "a table: {{ ... }}",
    "model_attributes_type": "a table: {{ ... }}",
}
"""What to write, by the type of pydantic's error."""
LONGEST = 60
"""Characters of a wrong value that are shown."""
NAME = r"^[\w.-]+$"
PATTERNS = {
    NAME: "a name consists of letters, digits, _, . and -",
    "^[a-z0-9-]+$": "it consists of small letters, digits and -",
    "^[A-Za-z_][A-Za-z0-9_]*$": "it consists of letters, digits and _, and no digit comes first",
}
"""What names may consist of, by their regular expressions."""


def plain_words(mistake: Mapping[str, Any]) -> str:
    """What is wrong with a value, and what to write instead."""
    kind, given = str(mistake["type"]), _value_text(mistake.get("input"))
    if kind == "list_type" and isinstance(mistake.get("input"), Mapping):
        return f"it is one table, and there may be several; write [[{mistake['loc'][-1]}]] for each"
    if (wanted := KINDS.get(kind)) is not None:
        return f"it is {given}; write {wanted.format(given=str(mistake.get('input'))[:LONGEST])}"
    pattern = mistake.get("ctx", {}).get("pattern")
    if kind == "string_pattern_mismatch" and pattern in PATTERNS:
        return f"it is {given}; {PATTERNS[pattern]}"
    message = str(mistake["msg"]).removeprefix("Value error, ")
    if kind.startswith(("greater_than", "less_than")):
        return f"it is {given}; {message.replace('Input should be', 'it must be')}"
    return message


def _value_text(value: Any) -> str:
    """A value as written in a file, or only its kind."""
    if isinstance(value, str):
        return f'"{value[:LONGEST]}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "a list"
    return "a table" if isinstance(value, Mapping) else str(value)[:LONGEST]
