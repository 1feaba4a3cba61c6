"""PostgreSQL's configuration as text: `name = value`, one a line, the last of a name counts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

INCLUDES = ("include", "include_if_exists", "include_dir")
_LINE = re.compile(
    r"[^\S\n]*(?P<name>[A-Za-z_\x80-\U0010ffff][\w$.\x80-\U0010ffff]*)(?![\w$.])"
    r"[^\S\n]*=?[^\S\n]*"
    r"(?P<value>'(?:[^'\\\n]|\\[^\n]|'')*'|[^\s#'=][^\s#']*)"
    r"[^\S\n]*(?:#[^\n]*)?\Z"
)
_PLAIN = re.compile(r"-?[A-Za-z0-9_.]+")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class Assignment:
    """A parameter that a file sets.

    Attributes:
        name: In small letters, as PostgreSQL compares them.
        value: Without quotation marks.
        start, end: Where the value stands in the text, with its quotation marks.

    """

    name: str
    value: str
    start: int
    end: int


def assignments(text: str) -> Iterator[Assignment]:
    """All parameters of a file in their order, and what it includes; other lines are passed over.

    Lines that are wrong are for the server itself to find.
    """
    at = 0
    for line in text.split("\n"):
        if (found := _LINE.match(line)) is not None:
            start, end = found.span("value")
            name = found["name"].lower()
            yield Assignment(name, _unquoted(found["value"]), at + start, at + end)
        at += len(line) + 1


def _unquoted(value: str) -> str:
    if not value.startswith("'"):
        return value
    return re.sub(r"\\([0-7]{1,3}|.)", _escaped, value[1:-1].replace("''", "'"))


def _escaped(found: re.Match[str]) -> str:
    """What a backslash and what follows it stand for."""
    if found[1].isdecimal() and found[1] < "8":
        return chr(int(found[1], 8) & 0xFF)
    return _ESCAPES.get(found[1], found[1])


def quoted(value: str) -> str:
    """A value as a file has it."""
    if _PLAIN.fullmatch(value):
        return value
    escaped = value.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def replaced(text: str, name: str, value: str) -> str:
    """The text with another value in the last line that sets a parameter."""
    last = [one for one in assignments(text) if one.name == name][-1]
    written = f"'{value}'" if text[last.start] == "'" and "'" not in value else quoted(value)
    return text[: last.start] + written + text[last.end :]
