"""The page: its sections in order."""

from collections.abc import Sequence

from headcount.report.content import ReportContent
from headcount.report.failover import WORDS as FAILOVER_WORDS
from headcount.report.head import head
from headcount.report.html import (
    agents,
    counters,
    course,
    diagnosis,
    disclosure,
    environment,
    failover,
    faults,
    first_screen,
    groups,
    guide,
    levels,
    lines,
    prediction,
    price,
    repeat,
    scenarios,
    script,
    task_score,
    tasks,
    tuning,
    wire,
    workload,
)
from headcount.report.html.charts import chart
from headcount.report.markup import Html, element, joined
from headcount.report.tuning import WORDS


def render(content: ReportContent) -> str:
    """Return the whole page, starting with its doctype.

    Pure: the same content gives the same page. Everything that comes from servers, plans and
    machines is escaped.
    """
    title, made_by = f"{content.title} on {content.target}", content.environment.headcount
    body = _body(content)
    # A page without such a chart needs no script, so its policy allows none.
    used = script.text() if "data-plot=" in body else None
    page = element(
        "html",
        head(title, f"Headcount {made_by}", used, script.style() if used else None),
        element("body", body, element("script", Html(used)) if used else None),
        lang="en",
    )
    return f"<!doctype html>\n{page}\n"


def _body(content: ReportContent) -> Html:
    main = joined(_sections(content))
    footer = f"Made by Headcount {content.environment.headcount}. This file needs no other files."
    return joined([element("main", main), element("footer", footer)])


def _sections(content: ReportContent) -> Sequence[Html | None]:
    if content.tuning is not None:
        return _tuning(content)
    return _run(content) if content.failover is None else _failover(content)


def _failover(content: ReportContent) -> Sequence[Html | None]:
    """The sections of a failover: its levels are all alike, so there is no capacity."""
    return [
        first_screen.header(content),
        failover.answer(content),
        chart("outage", content),
        failover.felt(content),
        failover.nodes(content),
        failover.repetitions(content),
        workload.section(content),
        environment.section(content),
        disclosure.section(content),
        repeat.section(content),
        guide.section(FAILOVER_WORDS),
    ]


def _tuning(content: ReportContent) -> Sequence[Html | None]:
    """The sections of a tuning: its turns give no capacity, nor anything that follows from one."""
    return [
        first_screen.header(content),
        tuning.answer(content),
        tuning.changes(content),
        tuning.ladder(content),
        chart("gains", content),
        tuning.trials(content),
        workload.section(content),
        environment.section(content),
        disclosure.section(content),
        repeat.section(content),
        guide.section(WORDS),
    ]


def _run(content: ReportContent) -> Sequence[Html | None]:
    """The sections of a run."""
    return [
        first_screen.header(content),
        first_screen.answer(content),
        chart("throughput", content),
        chart("response", content),
        diagnosis.section(content),
        chart("flames", content),
        prediction.section(content),
        chart("utilisation", content),
        chart("cost", content),
        task_score.section(content),
        counters.section(content),
        agents.section(content),
        chart("agents", content),
        levels.section(content),
        groups.section(content),
        course.section(content),
        scenarios.section(content),
        tasks.section(content),
        lines.section(content),
        wire.section(content),
        chart("transfer", content),
        faults.section(content),
        chart("spectrum", content),
        chart("heat", content),
        chart("timeline", content),
        chart("published", content),
        workload.section(content),
        price.section(content),
        environment.section(content),
        disclosure.section(content),
        repeat.section(content),
        guide.section(),
    ]
