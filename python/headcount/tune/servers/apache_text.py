"""Apache's configuration as text: where each directive stands, and how its value is replaced."""

from collections.abc import Iterator
from dataclasses import dataclass

from headcount.errors import InputError
from headcount.tune.servers.common import joined, line_end


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive with its place.

    Attributes:
        sections: The sections it is in, such as `<VirtualHost *:80>`, the outermost first.
        name: Its name in lower case.
        value: What follows, as it stands there, continuation lines joined.
        start, end: Where it begins, and where it ends: before the end of its last line.

    """

    sections: tuple[str, ...]
    name: str
    value: str
    start: int
    end: int


def directives(text: str, sections: tuple[str, ...] = ()) -> Iterator[Directive]:
    """All directives of a file in their order; raises InputError where sections do not match.

    `sections` are those that the file is included in.
    """
    open_ones = list(sections)
    for start, end in _lines(text):
        line = joined(text[start:end])
        if line.startswith("</"):
            name = line[2:].rstrip("> \t").lower()
            if len(open_ones) == len(sections) or _kind(open_ones[-1]) != name:
                raise InputError(f"{line} ends no section")
            open_ones.pop()
        elif line.startswith("<"):
            open_ones.append(line)
        else:
            name, _, value = line.replace("\t", " ").partition(" ")
            yield Directive(tuple(open_ones), name.lower(), value.strip(), start, end)
    if len(open_ones) != len(sections):
        raise InputError(f"{open_ones[-1]} is not closed")


def section_parts(section: str) -> tuple[str, str]:
    """The kind of a section in lower case, and what follows: `virtualhost` and `*:80`."""
    inner = section.removeprefix("<").removesuffix(">").replace("\t", " ").strip()
    kind, _, rest = inner.partition(" ")
    return kind.lower(), rest.strip()


def _kind(section: str) -> str:
    return section_parts(section)[0]


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """The start and end of each line with content; a backslash continues comments, too."""
    at, length = 0, len(text)
    while at < length:
        end = line_end(text, at)
        while end < length and text[at:end].removesuffix("\r").endswith("\\"):
            end = line_end(text, end + 1)
        start = at + len(text[at:end]) - len(text[at:end].lstrip())
        if start < end and text[start] != "#":
            yield start, start + len(text[start:end].rstrip())
        at = end + 1


def replaced(text: str, found: Directive, line: str) -> str:
    """The text with another directive in the place of one."""
    return text[: found.start] + line + text[found.end :]


def appended(text: str, lines: str) -> str:
    """The text with more lines at its end."""
    end_of_line = "\r\n" if "\r\n" in text else "\n"
    before = text.rstrip("\r\n")
    gap = "" if not text or text.endswith("\n") else end_of_line
    # A backslash at the end would join the first new line to the last one.
    gap += end_of_line if before.endswith("\\") else ""
    return text + gap + lines.replace("\n", end_of_line)
