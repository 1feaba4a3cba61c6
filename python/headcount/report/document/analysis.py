"""The measurement analysis: what limits the server, what was used, whether the figures hold."""

from collections.abc import Iterator, Sequence

from headcount.bundle.diagnosis import Candidate, Diagnosis
from headcount.bundle.diagnosis import Figure as Evidence
from headcount.report import foretold
from headcount.report.content import ReportContent
from headcount.report.diagnosis import NAMES, sureness
from headcount.report.document import detail
from headcount.report.document.blocks import (
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Figure,
    Heading,
    Note,
    Paragraph,
    Row,
    Section,
    Table,
    cells,
    said,
    strong,
)
from headcount.report.document.checks import checks
from headcount.report.document.prose import sentence
from headcount.report.document.used import resources_table
from headcount.report.html.counters import in_unit
from headcount.text import count, share

TITLE = "Measurement analysis"


def section(content: ReportContent, figures: Sequence[Figure]) -> Section:
    """Say what stopped the server and why that is believed; `figures` are charts of the use."""
    found = content.verdict.diagnosis
    blocks: list[Block] = [Heading("What stops the server")]
    if found is None:
        text = "What limits the server was not looked into in this run."
        blocks.append(Paragraph(said(text)))
    else:
        blocks += _diagnosis(found)
    blocks += _foretold(content)
    used = resources_table(content)
    if used is not None or figures:
        blocks.append(Heading("What the server used"))
    blocks += [used] if used is not None else []
    blocks += figures
    blocks += _faults(content)
    if content.levels:
        blocks += [Heading("Whether the measurement holds"), checks(content)]
    return Section(TITLE, blocks)


def _diagnosis(found: Diagnosis) -> Iterator[Block]:
    yield Paragraph(said(strong(sentence(found.sentence)), f" {sureness(found)}".rstrip()))
    if found.figures:
        yield _evidence(found)
    for other in found.joint:
        yield Paragraph(said(f"Limits together with it: {sentence(other.sentence)}"))
    if found.next is not None:
        yield Heading("What would be next")
        yield Paragraph(said(sentence(found.next.sentence)))
    if found.log_lines:
        yield Heading("What the server's own log says")
        yield Code("\n".join(line.text for line in found.log_lines))
    if found.advice:
        yield Heading("What to do about it")
        yield Bullets([said(sentence(one.sentence)) for one in found.advice])
    if found.candidates:
        yield _candidates(found)
    if found.exonerated:
        yield Heading("What did not limit")
        yield Bullets([said(sentence(one.sentence)) for one in found.exonerated])
    doubts = [*found.doubts, *(one.sentence for one in found.blind)]
    if doubts:
        yield Note("Doubts about the diagnosis", [said(sentence(one)) for one in doubts])


def _foretold(content: ReportContent) -> Iterator[Block]:
    """What more of each resource would hold; nothing where there was nothing to ask."""
    told = content.foretold
    if not told:
        return
    yield Heading(foretold.TITLE)
    rows = foretold.rows(told)
    if rows:
        first, *figures, last = foretold.HEADINGS
        yield Paragraph(said(foretold.introduction(told)))
        yield Table(
            foretold.TITLE,
            [Column(first, text=True), *map(Column, figures), Column(last, text=True)],
            [Row(cells(*one.cells())) for one in rows],
            widths=[3, 1, 1.6, 1.3, 1.8],
        )
    for one in foretold.refusals(told):
        yield Paragraph(said(one))
    if rows:
        yield Note(foretold.UNKNOWABLE, [said(one) for one in foretold.unknowable(told)])


def _evidence(found: Diagnosis) -> Table:
    return Table(
        "The figures that decided",
        [
            Column("What decided", text=True),
            Column("Figure"),
            Column("Held against"),
            Column("Users"),
        ],
        [_figure(one) for one in found.figures],
        widths=[5, 1.4, 1.4, 1],
    )


def _figure(one: Evidence) -> Row:
    return Row(
        [
            Cell(one.sentence, f"{one.side}: {one.counter}"),
            *cells(in_unit(one.value, one.unit), in_unit(one.threshold, one.unit)),
            Cell(count(one.users)),
        ]
    )


def _candidates(found: Diagnosis) -> Table:
    return Table(
        "All that may limit, by the evidence",
        [Column("Limit", text=True), Column("Evidence"), Column("What was seen", text=True)],
        [_candidate(one) for one in found.candidates],
        "Evidence from 0% to 100%; from 50% on something can be the limit. A dash: nothing that "
        "was sampled could have shown it.",
        widths=[2, 1, 6],
    )


def _candidate(one: Candidate) -> Row:
    seen = "; ".join(each.sentence for each in one.figures)
    return Row([Cell(NAMES[one.limit], one.detail or ""), Cell(share(one.score)), Cell(seen)])


def _faults(content: ReportContent) -> Iterator[Block]:
    if not content.levels:
        return
    yield Heading("Faults")
    found = detail.faults(content.levels)
    yield found if found is not None else Paragraph(said("There were none at any level."))
