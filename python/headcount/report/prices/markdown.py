"""Prices as Markdown, for a pull request or a wiki."""

import re

from headcount.analyse.prices.price_report import PriceReport
from headcount.report.prices.items import PriceTable
from headcount.report.prices.tables import tables
from headcount.text import clean

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")


def render(report: PriceReport) -> str:
    """The answer, the tables and the doubts; names are escaped, so that they stay text."""
    parts = ["## Price"]
    if report.sentences:
        parts.append("\n".join(f"- {escape(sentence)}" for sentence in report.sentences))
    for printed in tables(report):
        if printed.title:
            parts.append(f"### {escape(printed.title)}")
        parts.append(_table(printed))
        if printed.note:
            parts.append(escape(printed.note))
    if report.doubts:
        parts.append("\n".join(f"- Doubt: {escape(doubt)}" for doubt in report.doubts))
    return "\n\n".join([*parts, report.rounding]) + "\n"


def escape(text: str) -> str:
    """Text on one line, in which nothing is Markdown."""
    return _SPECIAL.sub(r"\\\1", " ".join(clean(text).split()))


def _table(printed: PriceTable) -> str:
    rules = ["---" if index < printed.texts else "---:" for index in range(len(printed.heads))]
    rows = [printed.heads, *printed.rows]
    lines = [f"| {' | '.join(escape(cell) for cell in row)} |" for row in rows]
    return "\n".join([lines[0], f"| {' | '.join(rules)} |", *lines[1:]])
