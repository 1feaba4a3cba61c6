"""The measurement analysis: what limits the server, what was used, whether the figures hold."""

from collections.abc import Iterator, Sequence

from headcount.bundle.confirmation import Confirmation
from headcount.bundle.diagnosis import Candidate, Diagnosis
from headcount.bundle.diagnosis import Figure as Evidence
from headcount.report import prediction
from headcount.report.content import ReportContent
from headcount.report.diagnosis import NAMES, bottleneck, ruled_out
from headcount.report.document import agents, detail
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
    prose,
    strong,
)
from headcount.report.document.checks import checks
from headcount.report.document.prose import sentence
from headcount.report.document.used import resources_table
from headcount.report.html.counters import in_unit
from headcount.text import count, share

TITLE = "Measurement analysis"


def section(
    content: ReportContent, figures: Sequence[Figure], of_agents: Sequence[Figure] = ()
) -> Section:
    """The section on what stopped the server, and the evidence.

    `figures` are charts of resource use, `of_agents` those of the agents that played the users.
    """
    found = content.verdict.diagnosis
    blocks: list[Block] = [Heading("Bottleneck")]
    if found is None:
        blocks.append(Paragraph(prose("This run has no diagnosis.")))
    else:
        blocks += _diagnosis(found, content.confirmation)
    blocks += _predictions(content)
    used = resources_table(content)
    if used is not None or figures:
        blocks.append(Heading("Resources used"))
    blocks += [used] if used is not None else []
    blocks += figures
    blocks += agents.blocks(content, of_agents)
    blocks += _faults(content)
    if content.levels:
        blocks += [Heading("Checks of the measurement"), checks(content)]
    return Section(TITLE, blocks)


def _diagnosis(found: Diagnosis, tested: Confirmation | None) -> Iterator[Block]:
    yield Paragraph(prose(strong(bottleneck(found, tested))))
    if tested is not None:
        yield Paragraph(prose(f"Experiments: {tested.sentence}"))
    if found.figures:
        yield _evidence(found)
    for other in found.joint:
        yield Paragraph(prose(f"Also limits: {sentence(other.sentence)}"))
    yield from _threads(found)
    if found.next is not None:
        yield Heading("Next limit")
        yield Paragraph(prose(sentence(found.next.sentence)))
    if found.log_lines:
        yield Heading("Server log")
        yield Code("\n".join(line.text for line in found.log_lines))
    if found.advice:
        yield Heading("Suggestions")
        yield Bullets([prose(sentence(one.sentence)) for one in found.advice])
    if found.candidates:
        yield _candidates(found)
    if found.ruled_out:
        yield Heading("Ruled out")
        yield Bullets([prose(sentence(ruled_out(one))) for one in found.ruled_out])
    doubts = [*found.doubts, *(one.sentence for one in found.not_observed)]
    if doubts:
        yield Note("Doubts about the diagnosis", [prose(sentence(one)) for one in doubts])


def _threads(found: Diagnosis) -> Iterator[Block]:
    """What the server's threads wait for; nothing without stacks."""
    if found.waits is None:
        return
    yield Heading("Threads")
    for text in (found.waits.sentence, found.waits.program):
        if text is not None:
            yield Paragraph(prose(sentence(text)))


def _predictions(content: ReportContent) -> Iterator[Block]:
    """What more of each resource would hold; nothing without predictions."""
    predictions = content.predictions
    if not predictions:
        return
    yield Heading(prediction.TITLE)
    rows = prediction.rows(predictions)
    if rows:
        first, *figures, last = prediction.HEADINGS
        yield Paragraph(prose(prediction.introduction(predictions)))
        yield Table(
            prediction.TITLE,
            [Column(first, text=True), *map(Column, figures), Column(last, text=True)],
            [Row(cells(*one.cells())) for one in rows],
            widths=[3, 1, 1.6, 1.3, 1.8],
        )
    for one in prediction.refusals(predictions):
        yield Paragraph(prose(one))
    if rows:
        yield Note(
            prediction.UNKNOWABLE, [prose(one) for one in prediction.unknowable(predictions)]
        )


def _evidence(found: Diagnosis) -> Table:
    return Table(
        "Evidence for the bottleneck",
        [
            Column("Evidence", text=True),
            Column("Measured"),
            Column("Threshold"),
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
        "All candidates",
        [Column("Limit", text=True), Column("Score"), Column("Evidence", text=True)],
        [_candidate(one) for one in found.candidates],
        "Score: how strong the evidence is. From 50%, a candidate can be the limit. A dash: no "
        "counter shows it.",
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
    yield found if found is not None else Paragraph(prose("No faults at any level."))
