"""The charts of a run, in the order of reading."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.report.content import ReportContent
from headcount.report.document.blocks import Column, Figure, Row, Table, cells
from headcount.report.figures import record, response, throughput

MOST_ROWS = 60
"""Rows of the numbers behind a chart at the most; the run's folder has them all."""

Draw = Callable[[ReportContent], record.Figure | None]

RESULTS: Sequence[Draw] = (throughput.figure, response.figure)
"""What users saw, against their number."""
ANALYSIS: Sequence[Draw] = ()
"""What the server used for it."""


@dataclass(frozen=True, slots=True)
class Charts:
    """The charts: of the results, and of what the server used."""

    results: Sequence[Figure]
    analysis: Sequence[Figure]


def of_run(content: ReportContent) -> Charts:
    """Draw the charts of a run; those that its bundle has no figures for are left out."""
    return Charts(_drawn(RESULTS, content), _drawn(ANALYSIS, content))


def _drawn(wanted: Sequence[Draw], content: ReportContent) -> list[Figure]:
    made = (draw(content) for draw in wanted)
    return [taken(one) for one in made if one is not None]


def taken(one: record.Figure) -> Figure:
    """A figure as a block of the document, with the numbers behind it as its table."""
    return Figure(
        svg=one.svg,
        alt=one.alt,
        caption=one.title,
        note=one.caption,
        data=_table(one) if one.table.rows else None,
    )


def _table(one: record.Figure) -> Table:
    columns = [
        Column(heading, text=not index or _words(one.table, index))
        for index, heading in enumerate(one.table.columns)
    ]
    over = len(one.table.rows) - MOST_ROWS
    return Table(
        f"Behind “{one.title}”",
        columns,
        [Row(cells(*row)) for row in one.table.rows[:MOST_ROWS]],
        f"{over:,} more rows are left out here." if over > 0 else "",
    )


def _words(table: record.Table, index: int) -> bool:
    """Whether a column holds words and no figures."""
    texts = [row[index] for row in table.rows]
    return not any(character.isdigit() for text in texts for character in text)
