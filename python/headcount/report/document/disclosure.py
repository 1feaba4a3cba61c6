"""The disclosure: what was stated, beside what was recorded."""

from collections.abc import Iterator

from headcount.report.content import ReportContent
from headcount.report.document.blocks import (
    Block,
    Bullets,
    Column,
    Facts,
    Heading,
    Paragraph,
    Row,
    Section,
    Table,
    cells,
    said,
)
from headcount.report.html.disclosure import GROUPS, NOT_STATED, recorded_of

TITLE = "Disclosure"


def section(content: ReportContent) -> Section:
    """Print each group, then how the run was made and in what the workload deviates."""
    blocks: list[Block] = [
        Paragraph(
            said(
                "Stated: by whoever ran the test, and not checked. Recorded: by Headcount, of "
                "this run."
            )
        ),
        *_groups(content),
        Heading("The run, as recorded"),
        Facts([(name, said(value)) for name, value in content.recorded]),
        Heading("Deviations from what is re-created"),
        Bullets([said(one) for one in content.deviations or ["None is named."]]),
    ]
    return Section(TITLE, blocks)


def _groups(content: ReportContent) -> Iterator[Block]:
    for name, heading in GROUPS:
        stated = sorted(content.disclosure.get(name, {}).items())
        recorded = recorded_of(content, name)
        rows = [Row(cells(item, value, "stated")) for item, value in stated]
        rows += [Row(cells(item, value, "recorded")) for item, value in recorded]
        if not stated:
            rows.insert(0, Row(cells("Statement", NOT_STATED, "stated")))
        yield Table(
            heading,
            [Column("Item", text=True), Column("What it is", text=True), Column("", text=True)],
            rows,
            widths=[2.4, 6, 1.2],
        )
