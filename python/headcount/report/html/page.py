"""The page: what comes after what."""

from headcount.report.content import ReportContent
from headcount.report.head import head
from headcount.report.html import (
    answer,
    counters,
    course,
    diagnosis,
    disclosure,
    environment,
    faults,
    groups,
    guide,
    latency,
    levels,
    price,
    repeat,
    scenarios,
    task_score,
    tasks,
    throughput,
    timeline,
    wire,
    workload,
)
from headcount.report.markup import Html, element, joined


def render(content: ReportContent) -> str:
    """Return the whole page, starting with its doctype.

    Pure: the same content gives the same page. Everything that comes from servers, plans and
    machines is escaped.
    """
    title, made_by = f"{content.title} on {content.target}", content.environment.headcount
    page = element("html", head(title, f"Headcount {made_by}"), _body(content), lang="en")
    return f"<!doctype html>\n{page}\n"


def _body(content: ReportContent) -> Html:
    main = joined(
        [
            answer.header(content),
            answer.answer(content),
            diagnosis.section(content),
            throughput.section(content),
            latency.section(content),
            task_score.section(content),
            counters.section(content),
            levels.section(content),
            groups.section(content),
            course.section(content),
            scenarios.section(content),
            tasks.section(content),
            wire.section(content),
            faults.section(content),
            timeline.section(content),
            workload.section(content),
            price.section(content),
            environment.section(content),
            disclosure.section(content),
            repeat.section(content),
            guide.section(),
        ]
    )
    footer = f"Made by Headcount {content.environment.headcount}. This file is complete in itself."
    return element("body", element("main", main), element("footer", footer))
