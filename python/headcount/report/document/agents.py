"""The agents that played the users, side by side: a table and their chart."""

from collections.abc import Iterator, Sequence

from headcount.report.agents import columns, note, rows, title
from headcount.report.content import ReportContent
from headcount.report.document.blocks import Block, Column, Figure, Heading, Row, Table, cells
from headcount.report.selection import shown


def blocks(content: ReportContent, figures: Sequence[Figure]) -> Iterator[Block]:
    """Show each agent at the level that stands for the answer; nothing if one process played."""
    level = shown(content.verdict, content.levels)
    found = rows(content.agents, content.levels, level)
    if not found:
        return
    filled = columns(found)
    yield Heading("Agents of the load generator")
    yield Table(
        title(level),
        [Column(one.heading, text=one.text) for one in filled],
        [Row(cells(*(one.cell(each) for one in filled))) for each in found],
        note(filled),
        widths=[_WIDTHS.get(one.heading, 1.2) for one in filled],
    )
    yield from figures


_WIDTHS = {"Agent": 1.0, "Machine": 2.2, "CPUs": 0.8, "Scenarios/s": 1.5, "Lost": 1.4}
