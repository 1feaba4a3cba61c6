"""Builds the report of a run."""

from dataclasses import replace

from headcount.bundle.reader import Bundle
from headcount.errors import InputError
from headcount.plan.plan import Plan
from headcount.report.assemble import assemble
from headcount.report.content import ReportContent
from headcount.report.document import (
    analysis,
    charts,
    configuration,
    disclosure,
    methodology,
    outages,
    overview,
    repeat,
    results,
    tuned,
)
from headcount.report.document.blocks import Document, Section, Table
from headcount.report.document.meaning import headline
from headcount.report.document.summary import summary

KIND = "Server capacity report"
FIRST_CHART = "Throughput, CPU and overload against users"


def of_bundle(bundle: Bundle, against: Section | None = None) -> Document:
    """The report of a bundle; raises InputError if the run has no level yet.

    `against` are its competitive results (:mod:`headcount.report.document.competitive`).
    """
    content = assemble(bundle)
    if content.tuning is not None:
        if against is not None:
            raise InputError(f"{bundle.folder} is a tuning: it cannot be compared with runs")
        return tuned.of_content(content, content.tuning, bundle.plan)
    if content.failover is not None:
        if against is not None:
            raise InputError(f"{bundle.folder} is a failover: it cannot be compared with runs")
        return outages.of_content(content, content.failover, bundle.plan)
    made = of_content(content, bundle.plan, charts.of_bundle(bundle))
    if against is None:
        return made
    at = next(at for at, one in enumerate(made.sections) if one.title == results.TITLE) + 1
    return replace(made, sections=[*made.sections[:at], against, *made.sections[at:]])


def of_content(
    content: ReportContent, plan: Plan | None = None, drawn: charts.Charts | None = None
) -> Document:
    """The report of a run. Pure: the same content gives the same document.

    Args:
        content: The results of the run.
        plan: Its plan; without it the methodology says less.
        drawn: Its charts; by default, those that need only the levels.

    """
    drawn = drawn or charts.of_run(content)
    sections = [
        overview.section(content),
        configuration.section(content),
        methodology.section(content, plan),
        results.section(content, drawn.results),
        analysis.section(content, drawn.analysis, drawn.agents),
        disclosure.section(content),
        repeat.section(content),
        repeat.words(),
    ]
    tables = [
        one.data for one in (*drawn.results, *drawn.analysis, *drawn.agents) if one.data is not None
    ]
    return Document(
        kind=KIND,
        title=content.title,
        subject=content.target,
        outcome=content.verdict.outcome,
        headline=headline(content.verdict),
        answer=content.verdict.sentence,
        measured_at=content.started_at,
        facts=[
            ("Server under test", content.target),
            ("Workload", content.workload),
            ("Criteria", ", ".join(content.criteria) or "none"),
        ],
        generator=f"Headcount {content.environment.headcount}",
        sections=[*sections, *_behind(tables), *configuration.appendix(content)],
        summary=summary(content),
        chart=next((one for one in drawn.results if one.caption == FIRST_CHART), None),
    )


def _behind(tables: list[Table]) -> list[Section]:
    return [repeat.behind(tables)] if tables else []
