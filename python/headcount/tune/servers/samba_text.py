"""smb.conf as text: where each section and parameter stands, and how a value is replaced."""

from collections.abc import Iterator
from dataclasses import dataclass

from headcount.tune.servers.common import joined, line_end

GLOBAL = "global"


@dataclass(frozen=True, slots=True)
class Entry:
    """A parameter, or the header of a section.

    Attributes:
        section: The section it is in, or begins, in lower case.
        name: The parameter without blanks and in lower case, as Samba compares them; empty for a
            header.
        value: Its value, continuation lines joined.
        start, end: Where it begins, and where it ends: before the end of its last line.
        value_start: Where its value begins, behind the equals sign.

    """

    section: str
    name: str
    value: str
    start: int
    end: int
    value_start: int


def entries(text: str, section: str = GLOBAL) -> Iterator[Entry]:
    """All headers and parameters in their order; `section` is the one that the file begins in."""
    for start, end in _lines(text):
        line = text[start:end]
        if line.startswith("["):
            section = joined(line[1:]).partition("]")[0].strip().lower()
            yield Entry(section, "", "", start, end, end)
        elif "=" in line:
            name, _, value = line.partition("=")
            value_start = start + len(name) + 1
            yield Entry(section, plain(joined(name)), joined(value), start, end, value_start)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """The start and end of each line with content, continued lines as one (tini.c)."""
    at, length = 0, len(text)
    while at < length:
        end = line_end(text, at)
        start = at + len(text[at:end]) - len(text[at:end].lstrip())
        is_said = start < end and text[start] not in "#;"  # comments are not continued
        while is_said and end < length and text[at:end].removesuffix("\r").endswith("\\"):
            end = line_end(text, end + 1)
        if is_said:
            yield start, start + len(text[start:end].rstrip())
        at = end + 1


def plain(name: str) -> str:
    """A parameter's name as Samba compares it: blanks and case do not matter."""
    return "".join(name.split()).lower()


def replaced(text: str, found: Entry, value: str) -> str:
    """The text with another value in the place of one."""
    return f"{text[: found.value_start]} {value}{text[found.end :]}"


def inserted(text: str, line: str) -> str:
    """The text with one more parameter of `[global]`, before everything that it must apply to.

    Shares take their defaults from what `[global]` says before them, so the line stands below a
    `[global]` that comes first, or at the top in one of its own.
    """
    end_of_line = "\r\n" if "\r\n" in text else "\n"
    first = next(iter(entries(text)), None)
    if first is not None and not first.name and first.section == GLOBAL:
        return f"{text[: first.end]}{end_of_line}{line}{text[first.end :]}"
    return f"[{GLOBAL}]{end_of_line}{line}{end_of_line}{text}"
