"""A journey as importers make it: a typed, small model that `workload_text` writes as TOML.

Texts of steps are plain, with marks where a variable or a captured value stands: `mark` makes one,
`template` writes the text as a workload file has it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

OPEN, CLOSE = "\ue000", "\ue001"
"""Around a variable's name in a text: characters that no file has; readers replace them."""
_MARKED = re.compile(f"({OPEN}[^{CLOSE}]*{CLOSE})")
_OPENING = re.compile(r"\{(?=[A-Za-z_{])")


LAST = -1
"""A pick: a thing that was just made often stands at the end of its list."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a value stands in a reply: `json`, `css`, `regex`, `header`, `cookie` or `of`."""

    kind: str
    place: str
    attribute: str = ""
    pick: int = 1
    """Which of those found, from 1, or `LAST`."""


@dataclass(frozen=True, slots=True)
class Capture:
    """A value of a reply, kept under a name."""

    name: str
    source: Source


@dataclass(frozen=True, slots=True)
class Check:
    """What must hold of a reply; without a source it is about the body."""

    predicate: str
    value: str | int | float | bool
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class File:
    """A file that a form sends."""

    filename: str
    content_type: str
    content: str
    missing_bytes: int = 0
    """How many of its bytes the original lacks; `content` then stands for them."""


@dataclass(slots=True)
class Step:
    """A request; at most one of `form`, `json`, `multipart` and `body` is there."""

    name: str
    op: str
    path: str
    resources: list[str] = field(default_factory=list)
    """Paths of what a browser fetches with it."""
    headers: dict[str, str] = field(default_factory=dict)
    form: dict[str, str] | None = None
    json: Any = None
    multipart: dict[str, str | File] | None = None
    body: str | None = None
    content_type: str = ""
    expect: int | None = None
    redirects: int | None = None
    """How many are followed, where not as usual."""
    captures: list[Capture] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Pause:
    """The user thinks."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Made:
    """A value that the application makes in the browser, one for each visit."""

    name: str
    text: str


@dataclass(slots=True)
class Page:
    """A page with resources that are steps: they come with a form, or are more than a path."""

    name: str
    steps: list[Step]


Entry = Step | Pause | Made | Page


@dataclass(slots=True)
class Scenario:
    """What a user does from beginning to end."""

    name: str
    entries: list[Entry]
    comments: list[str] = field(default_factory=list)

    def steps(self) -> Iterator[Step]:
        """Every request, also those of pages."""
        for entry in self.entries:
            if isinstance(entry, Step):
                yield entry
            elif isinstance(entry, Page):
                yield from entry.steps


@dataclass(frozen=True, slots=True)
class Variable:
    """A name of [variables]: a text, a secret of the environment, or something drawn."""

    name: str
    value: str | dict[str, Any]
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Correlation:
    """A value that one reply gave and later requests send, for a person to approve."""

    name: str
    step: str
    source: Source
    used_in: tuple[str, ...]


@dataclass(slots=True)
class Journey:
    """A workload in the making."""

    name: str
    title: str
    target: str
    scenarios: list[Scenario]
    log_on: str = ""
    """The name of the user that the browser logged on by itself, with HTTP Basic authentication."""
    variables: list[Variable] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    """Of every request."""
    setup: list[Entry] = field(default_factory=list)
    """What each user does once."""
    log_ins: frozenset[str] = frozenset()
    """The names of the steps that send a password."""
    again: dict[str, list[Capture]] = field(default_factory=dict)
    """By steps: values of earlier ones that their replies have anew, after their last use."""
    has_new_visitors: bool = False
    """Whether each visit begins without the cookies of the last, as the recorded one did."""
    correlations: list[Correlation] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """What the journey lacks of its original, a line each."""
    notes: list[str] = field(default_factory=list)
    """What to do before a run, a line each."""
    criteria: tuple[str, ...] = ("p95<=1s", "errors<1%")


def mark(name: str, form: str = "") -> str:
    """What stands in a text for a variable; `form` is its format or filters: `:number`, `|url`."""
    return f"{OPEN}{name}{form}{CLOSE}"


def template(text: str) -> str:
    """A text with its marks as placeholders, and its own braces so that they stay braces.

    >>> template("a {b} " + mark("c"))
    'a {{b} {c}'
    """
    parts = split_marks(text)
    found = []
    for index, part in enumerate(parts):
        if index % 2:
            found.append("{" + part[1:-1] + "}")
            continue
        escaped = _OPENING.sub("{{", part)
        if part.endswith("{") and index + 1 < len(parts):
            escaped += "{"
        found.append(escaped)
    return "".join(found)


def split_marks(text: str) -> list[str]:
    """The parts of a text: plain ones, and between them its marks."""
    return _MARKED.split(text)


def unmarked(text: str) -> str:
    """A stranger's text without the characters that marks are made of, and without half pairs."""
    text = text.replace(OPEN, "\ufffd").replace(CLOSE, "\ufffd")
    return text.encode("utf-8", "replace").decode("utf-8")


def unmarked_value(value: Any) -> Any:
    """A stranger's value of JSON or YAML whose texts are `unmarked`, other kinds as texts."""
    if isinstance(value, str):
        return unmarked(value)
    if isinstance(value, dict):
        return {unmarked(str(key)): unmarked_value(one) for key, one in value.items()}
    if isinstance(value, list):
        return [unmarked_value(one) for one in value]
    return value if isinstance(value, bool | int | float) or value is None else str(value)
