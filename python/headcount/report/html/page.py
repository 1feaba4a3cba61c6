"""The page: what comes after what."""

from headcount.report.content import ReportContent
from headcount.report.head import head
from headcount.report.html import (
    beside,
    counters,
    course,
    diagnosis,
    disclosure,
    distribution,
    environment,
    faults,
    first_screen,
    flames,
    groups,
    guide,
    latency,
    levels,
    prediction,
    price,
    repeat,
    scenarios,
    script,
    task_score,
    tasks,
    throughput,
    timeline,
    use,
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
    body = _body(content)
    # A page without such a chart needs no script, and so may run none.
    used = script.text() if "data-plot=" in body else None
    page = element(
        "html",
        head(title, f"Headcount {made_by}", used, script.style() if used else None),
        element("body", body, element("script", Html(used)) if used else None),
        lang="en",
    )
    return f"<!doctype html>\n{page}\n"


def _body(content: ReportContent) -> Html:
    main = joined(
        [
            first_screen.header(content),
            first_screen.answer(content),
            throughput.section(content),
            latency.section(content),
            diagnosis.section(content),
            flames.section(content),
            prediction.section(content),
            use.used(content),
            beside.costs(content),
            task_score.section(content),
            counters.section(content),
            levels.section(content),
            groups.section(content),
            course.section(content),
            scenarios.section(content),
            tasks.section(content),
            wire.section(content),
            use.moved(content),
            faults.section(content),
            distribution.spread(content),
            distribution.over_time(content),
            timeline.section(content),
            beside.published(content),
            workload.section(content),
            price.section(content),
            environment.section(content),
            disclosure.section(content),
            repeat.section(content),
            guide.section(),
        ]
    )
    footer = f"Made by Headcount {content.environment.headcount}. This file needs no other files."
    return joined([element("main", main), element("footer", footer)])
