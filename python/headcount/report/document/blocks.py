"""The blocks of a document. All text is plain: the renderer escapes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from headcount.report.key_figures import KeyFigure
from headcount.text import unbroken

SpanStyle = Literal["plain", "strong", "code", "soft"]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line of text, all in one style."""

    text: str
    style: SpanStyle = "plain"


Text = tuple[Span, ...]
"""The text of a paragraph, a list item or a fact."""


def prose(*parts: str | Span) -> Text:
    """Join prose; numbers stay on one line with their units and the nouns they count."""
    return tuple(Span(unbroken(part)) if isinstance(part, str) else part for part in parts)


def strong(text: str) -> Span:
    """Emphasised text."""
    return Span(unbroken(text), "strong")


def code(text: str) -> Span:
    """Literal text: names, commands, criteria."""
    return Span(text, "code")


def soft(text: str) -> Span:
    """De-emphasised text."""
    return Span(unbroken(text), "soft")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; `lead` is the answer in larger type, `note` explains a table or figure."""

    text: Text
    role: Literal["body", "lead", "note"] = "body"


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list."""

    items: Sequence[Text]


@dataclass(frozen=True, slots=True)
class Facts:
    """Pairs of a name and a text."""

    items: Sequence[tuple[str, Text]]


@dataclass(frozen=True, slots=True)
class Code:
    """Literal lines: a command, a file, output of a server."""

    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """Something a reader must know, set apart from the text around it."""

    title: str
    items: Sequence[Text]


@dataclass(frozen=True, slots=True)
class KeyFigures:
    """The figures for a reader with little time."""

    items: Sequence[KeyFigure]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, and whether it holds text, which is aligned to the left."""

    heading: str
    text: bool = False


Mark = Literal["passed", "failed", "invalid"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text, a smaller text below, and the outcome it shows, if any."""

    text: str
    below: str = ""
    mark: Mark | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row. `why` is a sentence below it over the whole width; `total` marks a row of sums."""

    cells: Sequence[Cell]
    why: str = ""
    total: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its caption; `widths` are those of the columns, relative, if not equal."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    note: str = ""
    widths: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing.

    Attributes:
        svg: The drawing, made by :mod:`headcount.report.chart`; its colours are classes.
        alt: What it shows, in words, for readers who cannot see it.
        caption: What it is.
        note: How to read it.
        data: The figures behind it, unless a table of the text has them.

    """

    svg: str
    alt: str
    caption: str
    note: str = ""
    data: Table | None = None


Block = Heading | Paragraph | Bullets | Facts | Code | Note | KeyFigures | Table | Figure


@dataclass(frozen=True, slots=True)
class Section:
    """A section with its heading; blocks in the order of reading."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Document:
    """A report for customers.

    Attributes:
        kind: What sort of report it is, such as "Server capacity report".
        title: What was measured, such as "Home folders (re-creates FSCT's HomeFolders)".
        subject: The server, or the servers.
        outcome: The outcome of the run in a word, such as "passed".
        headline: The number, such as "918 users"; None if there is none to quote.
        answer: The answer in a sentence.
        measured_at: When it was measured, ISO 8601.
        facts: Facts on the title page, with their names.
        generator: Program and version that made it.
        sections: In order.
        caution: What qualifies the headline; None if nothing does.
        summary: What the first page says besides the headline: names and sentences.
        chart: The one chart of the first page.

    """

    kind: str
    title: str
    subject: str
    outcome: str
    headline: str | None
    answer: str
    measured_at: str
    facts: Sequence[tuple[str, str]]
    generator: str
    sections: Sequence[Section]
    caution: str | None = None
    summary: Sequence[tuple[str, str]] = ()
    chart: Figure | None = None


def cells(*texts: str) -> list[Cell]:
    """Cells that hold nothing but text."""
    return [Cell(text) for text in texts]
