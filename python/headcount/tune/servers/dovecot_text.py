"""Dovecot's configuration as text: settings in sections, where the last of each counts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_COMMENT = re.compile(r"\s#")
_INCLUDE = re.compile(r"!include(?:_try)?\s+(.+)")
_KEY = re.compile(r"([^\s={}]+)\s*=\s*(.*)", re.DOTALL)
FILTERS = ("protocol", "local", "local_name", "remote")
"""Sections that hold for some clients only, and win over what is outside of them."""


@dataclass(frozen=True, slots=True)
class Line:
    """A setting, or an `!include`.

    Attributes:
        sections: The sections it is in, as they begin: `("service imap", "inet_listener imap")`.
        name: Its name; `!include` of a file that is included.
        value: What it is set to.

    """

    sections: tuple[str, ...]
    name: str
    value: str


def lines(text: str, sections: tuple[str, ...] = ()) -> Iterator[Line]:
    """All settings of a file in their order; lines that are wrong are for Dovecot to find.

    `sections` are those that the file is included in.
    """
    open_ones = list(sections)
    for line in _whole_lines(text):
        if line.startswith("}"):
            if len(open_ones) > len(sections):
                open_ones.pop()
        elif (found := _INCLUDE.fullmatch(line)) is not None:
            yield Line(tuple(open_ones), "!include", found[1].strip("\"'"))
        elif line.endswith("{") and "=" not in line:
            open_ones.append(" ".join(line[:-1].split()))
        elif (found := _KEY.fullmatch(line)) is not None:
            yield Line(tuple(open_ones), found[1], found[2])


def _whole_lines(text: str) -> Iterator[str]:
    """Lines without comments and the space around them, joined where one ends in a backslash."""
    kept = ""
    for raw in text.split("\n"):
        line = raw.strip()
        if line.startswith("#"):
            continue
        if (comment := _COMMENT.search(line)) is not None and not _is_quoted(line, comment.start()):
            line = line[: comment.start()].rstrip()
        if line.endswith("\\"):
            kept += line[:-1]
            continue
        if whole := (kept + line).strip():
            yield whole
        kept = ""
    if kept.strip():
        yield kept.strip()


def _is_quoted(line: str, at: int) -> bool:
    """Whether a place is within a value in quotation marks."""
    value = line.partition("=")[2].lstrip()
    mark = value[:1]
    if mark not in ('"', "'") or not mark:
        return False
    end = line.find(mark, line.index(mark) + 1)
    return end < 0 or at < end


def block(name: str, value: str, filters: Sequence[tuple[str, ...]]) -> list[str]:
    """The lines that set something everywhere, and within some filters once more.

    A name such as `service/imap/client_limit` is of a section.
    """
    *path, key = name.split("/")
    sections = (" ".join(path),) if path else ()
    found = _nested(sections, key, value)
    for one in filters:
        found += _nested((*one, *sections), key, value)
    return found


def _nested(sections: Sequence[str], key: str, value: str) -> list[str]:
    if not sections:
        return [f"{key} = {value}"]
    inner = [f"  {line}" for line in _nested(sections[1:], key, value)]
    return [f"{sections[0]} {{", *inner, "}"]
