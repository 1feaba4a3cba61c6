"""The disclosure: what was stated, beside what was recorded."""

from collections.abc import Iterator, Sequence

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
    prose,
)
from headcount.report.html.disclosure import GROUPS, recorded_of
from headcount.text import listed

TITLE = "Disclosure"


def section(content: ReportContent) -> Section:
    """Print each group, then how the run was made and in what the workload deviates."""
    blocks: list[Block] = [
        Paragraph(
            prose("Stated: by the tester, not checked. Recorded: by Headcount during this run.")
        ),
        *_groups(content),
        Heading("The run, as recorded"),
        Facts([(name, prose(value)) for name, value in content.recorded]),
    ]
    if content.recreates or content.deviations:
        deviations = [prose(one) for one in content.deviations or ["None is named."]]
        blocks += [Heading("Deviations from the original benchmark"), Bullets(deviations)]
    return Section(TITLE, blocks)


def _recorded(content: ReportContent, name: str) -> Sequence[tuple[str, str]]:
    """What was recorded of a group; a machine with both roles is described once."""
    if name == "drivers" and all(side.role == "both" for side in content.environment.sides):
        return [("Machine", "the same as the system under test")]
    return recorded_of(content, name)


def _groups(content: ReportContent) -> Iterator[Block]:
    """A table for each group of which anything is known; the others are only named."""
    silent = []
    columns = [Column(name, text=True) for name in ("Item", "What it is", "Source")]
    for name, heading in GROUPS:
        stated = sorted(content.disclosure.get(name, {}).items())
        if not stated:
            silent.append(heading.lower())
        rows = [Row(cells(item, value, "stated")) for item, value in stated]
        rows += [Row(cells(item, value, "recorded")) for item, value in _recorded(content, name)]
        if rows:
            yield Table(heading, columns, rows, widths=[2.4, 6, 1.2])
    if silent:
        yield Paragraph(prose(f"Not stated: {listed(silent)}."))
