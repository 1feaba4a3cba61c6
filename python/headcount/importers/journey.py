"""A journey as importers make it: a small typed model that `workload_text` writes as TOML.

Texts of steps are plain, with marks in place of variables and captured values: `mark` makes one,
`template` writes the text as a workload file has it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

OPEN, CLOSE = "\ue000", "\ue001"
"""Enclose a variable's name in a text: characters that no file has; readers replace them."""
_MARKED = re.compile(f"({OPEN}[^{CLOSE}]*{CLOSE})")
_OPENING = re.compile(r"\{(?=[A-Za-z_{])")


LAST = -1
"""A pick: a new item is often at the end of its list."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a value stands in a reply: `json`, `css`, `regex`, `header`, `cookie` or `of`."""

    kind: str
    place: str
    attribute: str = ""
    pick: int = 1
    """Which of the matches, from 1, or `LAST`."""
    is_decoded: bool = False
    """Whether the value is without the percent-encoding that it has in the reply."""


@dataclass(frozen=True, slots=True)
class Capture:
    """A value of a reply, kept under a name."""

    name: str
    source: Source


@dataclass(frozen=True, slots=True)
class Check:
    """What must hold for a reply; without a source it is about the body."""

    predicate: str
    value: str | int | float | bool
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class File:
    """A file that a form sends."""

    filename: str | None
    """None of a part that has only a type."""
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
    """How many are followed, if not the default."""
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
        """Every request, including those of pages."""
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
    """The name of the user whom the browser itself logged on, with HTTP Basic or Digest."""
    has_digest: bool = False
    """Whether that was Digest."""
    variables: list[Variable] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    """Of every request."""
    setup: list[Entry] = field(default_factory=list)
    """What each user does once."""
    log_ins: frozenset[str] = frozenset()
    """The names of the steps that send a password."""
    again: dict[str, list[Capture]] = field(default_factory=dict)
    """By step: values captured earlier that its reply has again, after their last use."""
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
    """A text with its marks as placeholders, and its own braces escaped.

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
    """An untrusted text without the characters of marks, and without lone surrogates."""
    text = text.replace(OPEN, "\ufffd").replace(CLOSE, "\ufffd")
    return text.encode("utf-8", "replace").decode("utf-8")


def unmarked_value(value: Any) -> Any:
    """An untrusted value of JSON or YAML with its texts `unmarked`, other kinds as texts."""
    if isinstance(value, str):
        return unmarked(value)
    if isinstance(value, dict):
        return {unmarked(str(key)): unmarked_value(one) for key, one in value.items()}
    if isinstance(value, list):
        return [unmarked_value(one) for one in value]
    return value if isinstance(value, bool | int | float) or value is None else str(value)
