"""The page: what comes after what."""

from importlib.resources import files

from headcount.report.content import ReportContent
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

# The page needs nothing from anywhere. Should an escape ever fail, a browser still loads nothing
# and runs nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"


def render(content: ReportContent) -> str:
    """Return the whole page, starting with its doctype.

    Pure: the same content gives the same page. Everything that comes from servers, plans and
    machines is escaped.
    """
    page = element("html", _head(content), _body(content), lang="en")
    return f"<!doctype html>\n{page}\n"


def _head(content: ReportContent) -> Html:
    style = files("headcount.report.html").joinpath("style.css").read_text("utf-8")
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="generator", content=f"Headcount {content.environment.headcount}"),
        # Without this a browser asks the web server for /favicon.ico.
        element("link", rel="icon", href="data:,"),
        element("title", f"{content.title} on {content.target}"),
        element("style", Html(style)),
    )


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
            environment.section(content),
            disclosure.section(content),
            repeat.section(content),
            guide.section(),
        ]
    )
    footer = f"Made by Headcount {content.environment.headcount}. This file is complete in itself."
    return element("body", element("main", main), element("footer", footer))
