"""A document as plain data for the template: text, numbers and drawings, never markup."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from headcount.report.document.blocks import (
    Block,
    Bullets,
    Code,
    Document,
    Facts,
    Figure,
    Heading,
    KeyFigures,
    Note,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Text,
)
from headcount.report.pdf.breaks import breakable
from headcount.text import clean

WARNINGS = {
    "failed": "Failed",
    "invalid": "Invalid",
    "interrupted": "Interrupted before its end",
    "unfinished": "Not finished",
}
"""Outcomes that the title page must not hide."""
MOST_CHARACTERS = 4000
"""A longer text is not a sentence, but from a server or a file; it is cut."""
CELL_CHARACTERS = 1200
LINE_CHARACTERS = 160
"""Most characters of headings, captions and lines of the title page."""
RUNNING_CHARACTERS = 70
"""Most characters of the page header, which has one line."""
LONG_CHARACTERS = 900
"""A longer cell may be broken over pages; others stay whole."""
WHOLE_ROWS = 12
"""A table up to this many rows stays on one page; a longer one breaks, with its head repeated."""
NARROW_COLUMNS = 8
"""A table with this many columns or more is set in smaller type."""
OWN_PAGE = frozenset({"Executive overview", "Configuration"})
"""Sections that begin a page: the overview stands alone on its own."""

_APOSTROPHE = re.compile(r"(?<=[A-Za-z])'(?=[A-Za-z]|\s)")


def prose(text: str, most: int = MOST_CHARACTERS) -> str:
    """Text of a sentence: safe to show, no longer than `most`, with places to break it."""
    curled = _APOSTROPHE.sub("\N{RIGHT SINGLE QUOTATION MARK}", cut(clean(text), most))
    return breakable(curled)


def payload(document: Document, draw: Callable[[Figure], str]) -> dict[str, Any]:
    """Everything the template shows; `draw` makes a drawing a whole SVG file."""
    return {
        "title": cut(clean(document.title), LINE_CHARACTERS),
        "shown": prose(document.title, LINE_CHARACTERS),
        "author": document.generator,
        "description": cut(clean(f"{document.kind}: {document.answer}"), 400),
        "keywords": ["capacity", "performance", "load test"],
        "kind": prose(document.kind),
        "running": cut(clean(f"{document.title}, {document.subject}"), RUNNING_CHARACTERS),
        "subject": prose(document.subject, LINE_CHARACTERS),
        "headline": document.headline and _capital(prose(document.headline, LINE_CHARACTERS)),
        "warning": WARNINGS.get(document.outcome),
        "answer": prose(document.answer, 3 * LINE_CHARACTERS),
        "caution": document.caution and prose(document.caution),
        "summary": [
            [prose(name, LINE_CHARACTERS), prose(text, 2 * LINE_CHARACTERS)]
            for name, text in document.summary
        ],
        "chart": _block(document.chart, draw) if document.chart is not None else None,
        "sections": [_section(one, draw) for one in document.sections],
    }


def cut(text: str, most: int) -> str:
    """Text, shortened if it would not fit."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _section(section: Section, draw: Callable[[Figure], str]) -> dict[str, Any]:
    return {
        "title": prose(section.title, LINE_CHARACTERS),
        "page": section.title in OWN_PAGE,
        "blocks": [_block(one, draw) for one in section.blocks],
    }


def _block(block: Block, draw: Callable[[Figure], str]) -> dict[str, Any]:  # noqa: PLR0911 - a kind each
    match block:
        case Heading(text=text):
            return {"type": "heading", "text": prose(text, LINE_CHARACTERS)}
        case Paragraph(text=spans, role=role):
            return {"type": "paragraph", "role": role, "text": _spans(spans)}
        case Bullets(items=items):
            return {"type": "bullets", "items": [_spans(one) for one in items]}
        case Facts(items=facts):
            return {
                "type": "facts",
                "items": [[_fact(name), _spans(value)] for name, value in facts],
            }
        case Code(text=text):
            return {"type": "code", "text": breakable(clean(text))}
        case Note(title=title, items=items):
            return {"type": "note", "title": title, "items": [_spans(one) for one in items]}
        case KeyFigures(items=figures):
            shown = [
                {
                    "name": prose(one.name, LINE_CHARACTERS),
                    "value": prose(one.value, LINE_CHARACTERS),
                    "of": prose(one.of, 2 * LINE_CHARACTERS),
                }
                for one in figures
            ]
            return {"type": "key-figures", "items": shown}
        case Table():
            return _table(block)
        case Figure():
            return {
                "type": "figure",
                "svg": draw(block),
                "alt": cut(clean(block.alt), MOST_CHARACTERS),
                "caption": prose(block.caption, LINE_CHARACTERS),
                "note": prose(block.note),
            }


def _fact(name: str) -> str:
    return prose(name, LINE_CHARACTERS)


def _spans(text: Text) -> list[dict[str, str]]:
    return [{"style": span.style, "text": _span(span)} for span in text]


def _span(span: Span) -> str:
    if span.style == "code":
        return breakable(cut(clean(span.text), MOST_CHARACTERS))
    return prose(span.text)


def _table(table: Table) -> dict[str, Any]:
    columns = [{"heading": _heading(one.heading), "text": one.text} for one in table.columns]
    rows = [_row(row) for row in table.rows]
    return {
        "type": "table",
        "caption": prose(table.caption, LINE_CHARACTERS),
        "columns": columns,
        "rows": rows,
        "note": prose(table.note),
        "widths": list(table.widths or [1] * len(columns)),
        "broken": sum(2 if row.why else 1 for row in table.rows) > WHOLE_ROWS
        or any(row["long"] for row in rows),
        "size": 8.0 if len(columns) >= NARROW_COLUMNS else 9.0,
    }


def _heading(text: str) -> str:
    """A column's heading; its unit stands below it, where it would be torn apart otherwise."""
    return prose(text, LINE_CHARACTERS).replace(" MB/s", "\nMB/s")


def _row(row: Row) -> dict[str, Any]:
    texts: Sequence[str] = [row.why, *(cell.text for cell in row.cells)]
    return {
        "cells": [
            {
                "text": prose(cell.text, CELL_CHARACTERS),
                "below": prose(cell.below, LINE_CHARACTERS),
                "mark": cell.mark,
            }
            for cell in row.cells
        ],
        "why": prose(row.why, CELL_CHARACTERS),
        "total": row.total,
        "long": any(len(text) > LONG_CHARACTERS for text in texts),
    }
