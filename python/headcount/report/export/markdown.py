"""A run in Markdown, for a pull request or a wiki: the answer and the levels."""

import re
from collections.abc import Sequence

from headcount.analyse.time_text import time_text
from headcount.bundle.level import LevelResult
from headcount.bundle.reader import Bundle
from headcount.report.document import outage_tables
from headcount.report.document import tuning_tables as tables
from headcount.report.document.blocks import Cell, Row, Table
from headcount.report.export.summary import summary_lines
from headcount.report.selection import by_users
from headcount.text import clean, count, share, significant

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#$@])")
"""Characters with a meaning in Markdown or on its sites, where `@` notifies people."""
_HEAD = ("Users", "Outcome", "Scenarios/s", "Median", "p95", "p99", "Overload", "Server CPU")


def text(bundle: Bundle) -> str:
    """The whole text, ending with a line feed."""
    lines = summary_lines(bundle)
    title, rest = lines[0][1], lines[1:]
    parts = [f"## {escape(str(title))}", ""]
    parts += [f"- **{escape(name)}:** {escape(str(content))}" for name, content in rest]
    if bundle.tuning is not None:
        for part in (tables.changes, tables.ladder, tables.piloted, tables.races):
            made = part(bundle.tuning)
            parts += _document_table(made) if made is not None else []
    elif bundle.failover is not None:
        for part_of in (outage_tables.felt, outage_tables.nodes, outage_tables.repetitions):
            outage = part_of(bundle.failover)
            parts += _document_table(outage) if outage is not None else []
    elif bundle.levels:
        parts += ["", *_table(by_users(bundle.levels))]
    return "\n".join(parts) + "\n"


def escape(sentence: str) -> str:
    """Escaped text: what a server sent cannot become a link, a picture or a heading."""
    return _SPECIAL.sub(r"\\\1", " ".join(clean(sentence).split()))


def row(cells: Sequence[str]) -> str:
    """A row of a table."""
    return f"| {' | '.join(cells)} |"


def _document_table(made: Table) -> list[str]:
    """A table of a document, with its caption above it."""
    ruler = row(["---" if column.text else "---:" for column in made.columns])
    heads = row([escape(column.heading) for column in made.columns])
    rows = [row(_document_row(one)) for one in made.rows]
    return ["", f"### {escape(made.caption)}", "", heads, ruler, *rows]


def _document_row(one: Row) -> list[str]:
    """The cells of a row; the sentence below it goes after the last one."""
    made = [_document_cell(cell) for cell in one.cells]
    return [*made[:-1], f"{made[-1]}: {escape(one.why)}"] if one.why else made


def _document_cell(cell: Cell) -> str:
    return escape(f"{cell.text} ({cell.below})" if cell.below else cell.text)


def _table(levels: Sequence[LevelResult]) -> list[str]:
    ruler = row(["---:" if name != "Outcome" else "---" for name in _HEAD])
    return [row(_HEAD), ruler, *(row(_cells(level)) for level in levels)]


def _cells(level: LevelResult) -> list[str]:
    times = level.total.response
    cpu = level.counters.get("sut", {}).get("system.cpu.utilization")
    return [
        count(level.users),
        level.outcome,
        significant(level.achieved_per_s),
        time_text(times, "p50_ms"),
        time_text(times, "p95_ms"),
        time_text(times, "p99_ms"),
        share(level.total.overload),
        share(cpu.mean if cpu else None),
    ]
