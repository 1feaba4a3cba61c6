"""Postfix's configuration as text: main.cf and master.cf, of logical lines."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_MAIN = re.compile(r"([^\s=]+)\s*=\s*(.*)", re.DOTALL)
COLUMNS = 8
"""Of a line in master.cf, the command last; its arguments follow."""
MAXPROC = 6


@dataclass(frozen=True, slots=True)
class Word:
    """A word with the place where it begins."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Logical:
    """A logical line: one that begins with a letter, and those that begin with space after it.

    Attributes:
        text: Without comments and line ends.
        words: Its words.
        start, end: Where it stands, from its first to its last letter.

    """

    text: str
    words: Sequence[Word]
    start: int
    end: int


def logical_lines(text: str) -> Iterator[Logical]:
    """All logical lines of a file; comments and empty lines may stand within one."""
    words: list[Word] = []
    parts: list[str] = []
    start = end = at = 0
    for raw in text.split("\n"):
        line = raw.rstrip()
        is_kept = bool(line) and not line.lstrip().startswith("#")
        if is_kept and not line[0].isspace() and parts:
            yield Logical(" ".join(parts), tuple(words), start, end)
            words, parts = [], []
        # A file that begins with space continues nothing, and Postfix refuses it.
        if is_kept and (parts or not line[0].isspace()):
            start = start if parts else at
            end = at + len(line)
            parts.append(line.strip())
            words += [Word(one[0], at + one.start()) for one in re.finditer(r"\S+", line)]
        at += len(raw) + 1
    if parts:
        yield Logical(" ".join(parts), tuple(words), start, end)


def parameters(text: str) -> Mapping[str, Logical]:
    """The last line of each parameter of a main.cf: that one counts."""
    found: dict[str, Logical] = {}
    for one in logical_lines(text):
        if (match := _MAIN.fullmatch(one.text)) is not None:
            found[match[1]] = one
    return found


def services(text: str, command: str) -> Iterator[Word]:
    """The column maxproc of all services of a master.cf that run a command."""
    for one in logical_lines(text):
        if len(one.words) >= COLUMNS and one.words[COLUMNS - 1].text == command:
            yield one.words[MAXPROC]


def with_parameters(text: str, values: Mapping[str, str]) -> tuple[str, Sequence[str]]:
    """A main.cf with other values of what it sets, and lines for what it does not set yet.

    A second line with the same name would work, but Postfix warns about it at every read.
    """
    known = parameters(text)
    present = [name for name in values if name in known]
    for name in sorted(present, key=lambda one: -known[one].start):
        place = known[name]
        text = f"{text[: place.start]}{name} = {values[name]}{text[place.end :]}"
    return text, [f"{name} = {value}" for name, value in values.items() if name not in known]


def with_limits(text: str, limits: Mapping[str, str]) -> str:
    """A master.cf with other numbers of processes, by command."""
    edits = [(word, value) for name, value in limits.items() for word in services(text, name)]
    for word, value in sorted(edits, key=lambda one: -one[0].start):
        text = f"{text[: word.start]}{value}{text[word.start + len(word.text) :]}"
    return text
