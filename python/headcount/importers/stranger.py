"""Reads untrusted files: text, JSON and YAML, bounded in size and depth.

Every function raises InputError that names the file, and the position if that is known.
"""

import re
from pathlib import Path
from typing import Any

import yaml

from headcount.errors import InputError
from headcount.foreign import file
from headcount.foreign.json_text import DEEPEST, json_value
from headcount.importers.journey import unmarked

MOST_BYTES = 256 << 20
"""Largest recording: an hour in a browser has some tens of MB."""
MOST_SCRIPT_BYTES = 4 << 20
"""Largest script or file of commands, which a person wrote."""
MOST_YAML_BYTES = 16 << 20
"""The largest public API descriptions have 10 MB."""


def text_of(path: Path, most_bytes: int = MOST_SCRIPT_BYTES) -> str:
    """All of a text in UTF-8, with or without a byte order mark, or in UTF-16 with one."""
    return _decoded(path, file.content(path, most_bytes))


def json_of(path: Path, what: str) -> Any:
    """The value of a JSON file; `what` says what it should be, for an error."""
    text = _decoded(path, file.content(path, MOST_BYTES))
    try:
        return json_value(text.encode("utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is not {what}: it is not JSON that can be read: {error}") from (
            error
        )


def yaml_of(path: Path, what: str) -> Any:
    """The value of a YAML or JSON file; aliases are refused: a few can expand to gigabytes."""
    text = _decoded(path, file.content(path, MOST_YAML_BYTES))
    if text.lstrip()[:1] in "{[":
        try:
            return json_value(text.encode("utf-8"))
        except ValueError as error:
            if "nested" in str(error):
                raise InputError(f"{path} is not {what}: {error}") from error
    try:
        return yaml.load(text, Loader=_Bounded)  # noqa: S506 - a safe loader, made stricter
    except yaml.MarkedYAMLError as error:
        where = error.problem_mark or error.context_mark
        place = f"line {where.line + 1}, column {where.column + 1}: " if where else ""
        reason = error.problem or error.context or "it cannot be read"
        raise InputError(f"{path} is not {what}: {place}{reason}") from error
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        first = next(iter(str(error).splitlines()), "it cannot be read")
        raise InputError(f"{path} is not {what}: {first}") from error


def table(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one: an untrusted file may hold anything."""
    return value if isinstance(value, dict) else {}


def rows(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; other values are dropped."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """The value if it is a text, a number as text, else an empty one."""
    if isinstance(value, str):
        return unmarked(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return ""


def _decoded(path: Path, contents: bytes) -> str:
    encoding = "utf-16" if contents[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        found = contents.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 text: byte {error.start:,} cannot be read; save it as UTF-8"
        ) from error
    if "\0" in found:
        raise InputError(f"{path} is not text: it has NUL bytes; give the file itself, unpacked")
    return unmarked(found)


class _Bounded(yaml.SafeLoader):
    """YAML restricted to JSON: no aliases, bounded depth, dates as texts, few other values."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose a node within the bounds."""
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(
                problem="aliases (*name) are not read; write the value itself, or use $ref",
                problem_mark=event.start_mark,
            )
        self.depth += 1
        try:
            if self.depth > DEEPEST:
                mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
                raise yaml.MarkedYAMLError(problem="it is nested too deeply", problem_mark=mark)
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1


_NUMBER = r"[-+]?(?:0|[1-9][0-9]*)"
_PLAIN_VALUES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("bool", "true|True|TRUE|false|False|FALSE", tuple("tTfF")),
    ("int", _NUMBER, tuple("-+0123456789")),
    ("float", rf"{_NUMBER}(?:\.[0-9]*(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)", tuple("-+0123456789")),
    ("null", "~|null|Null|NULL|", ("~", "n", "N", "")),
    ("merge", "<<", ("<",)),
)
"""Kinds of values without quotes, as YAML 1.2 and JSON have them, and what they begin with.

YAML 1.1, which PyYAML reads, also has `NO` for false and `12:30` for 750.
"""
_Bounded.yaml_implicit_resolvers = {
    first: [
        (f"tag:yaml.org,2002:{kind}", re.compile(f"(?:{pattern})$"))
        for kind, pattern, firsts in _PLAIN_VALUES
        if first in firsts
    ]
    for first in {first for *_, firsts in _PLAIN_VALUES for first in firsts}
}
