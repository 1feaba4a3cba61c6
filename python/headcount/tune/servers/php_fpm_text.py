"""PHP-FPM's configuration as text: keys of pools, of which the last of a name counts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SECTION = re.compile(r"\[([^\]]+)\]")
_KEY = re.compile(r"([A-Za-z_][\w.]*(?:\[[^\]]*\])?)\s*=\s*(.*)")
_PHP = re.compile(r"php(?:_admin)?_(?:value|flag)\[(.+)\]")
_TIME = re.compile(r"([0-9]+)([smhd]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True, slots=True)
class Line:
    """A key, or the head of a section.

    Attributes:
        section: The section it is in: a pool, or `global`.
        name: The key; of a setting of PHP its name alone; empty for the head.
        value: Its value, without quotation marks.
        start, end: Where the line begins behind its indentation, and where it ends.

    """

    section: str
    name: str
    value: str
    start: int
    end: int


def lines(text: str, section: str = "global") -> Iterator[Line]:
    """All keys and heads in their order; `section` is the one that the file is included in."""
    at = 0
    for raw in text.split("\n"):
        line = raw.strip()
        start = at + len(raw) - len(raw.lstrip())
        end = at + len(raw.rstrip())
        at += len(raw) + 1
        if (head := _SECTION.match(line)) is not None:
            section = head[1].strip()
            yield Line(section, "", "", start, end)
        elif (found := _KEY.match(line)) is not None:
            php = _PHP.fullmatch(found[1])
            yield Line(section, php[1] if php else found[1], _plain(found[2]), start, end)


def _plain(value: str) -> str:
    """A value without quotation marks, or without the comment behind it."""
    if value[:1] in ('"', "'"):
        end = value.find(value[0], 1)
        return value[1 : end if end > 0 else None]
    return value.partition(";")[0].strip()


def in_seconds(value: str) -> str:
    """A time such as `10m` in seconds; as it is where it is none."""
    found = _TIME.fullmatch(value)
    return str(int(found[1]) * _SECONDS[found[2]]) if found else value
