"""The report of outages: what users felt first, then how and on what it was measured."""

from headcount.bundle.failover import Failover
from headcount.plan.plan import Plan
from headcount.report.content import ReportContent
from headcount.report.document import charts, configuration, disclosure, methodology, repeat
from headcount.report.document import outage_tables as tables
from headcount.report.document.blocks import (
    Block,
    Document,
    Facts,
    Figure,
    Heading,
    Paragraph,
    Section,
    prose,
)
from headcount.report.failover import KIND, TITLE, WORDS, facts, headline
from headcount.report.figures import outage

_OUTCOMES = {"finished": "passed", "interrupted": "interrupted", "failed": "unfinished"}


def of_content(content: ReportContent, found: Failover, plan: Plan | None = None) -> Document:
    """The report of outages. Pure: the same content gives the same document."""
    drawn = outage.figure(found, content.outage_rows)
    figure = charts.taken(drawn) if drawn is not None else None
    behind = [figure.data] if figure is not None and figure.data is not None else []
    return Document(
        kind=KIND,
        title=content.title,
        subject=content.target,
        outcome=_OUTCOMES[found.ending],
        headline=headline(found),
        answer=found.sentence,
        measured_at=content.started_at,
        facts=[
            ("Server under test", content.target),
            ("Workload", content.workload),
            ("Fault", found.fault),
        ],
        generator=f"Headcount {content.environment.headcount}",
        sections=[
            section(found, figure),
            configuration.section(content),
            methodology.section(content, plan),
            disclosure.section(content),
            repeat.section(content),
            repeat.words(WORDS),
            *([repeat.behind(behind)] if behind else []),
            *configuration.appendix(content),
        ],
        summary=[
            ("Question", f"How does this affect users of {content.target}: {found.fault}?"),
            *facts(found),
        ],
        chart=figure,
    )


def section(found: Failover, figure: Figure | None) -> Section:
    """The section with what users felt, the course of one outage, and each repetition."""
    blocks: list[Block] = [
        Paragraph(prose(found.sentence), "lead"),
        Facts([(name, prose(text)) for name, text in facts(found)]),
        *([figure] if figure is not None else []),
    ]
    for made in (tables.felt(found), tables.nodes(found), tables.repetitions(found)):
        if made is not None:
            blocks += [Heading(made.caption), made]
    return Section(TITLE, blocks)
