"""Series of runs as one HTML page that needs nothing from anywhere."""

from headcount import __version__
from headcount.analyse.compare.history import History, Run, Series, reason
from headcount.analyse.compare.metrics import BY_ID
from headcount.analyse.compare.words import value
from headcount.report.head import head
from headcount.report.history import chart
from headcount.report.html import table
from headcount.report.html.table import Column, row
from headcount.report.markup import Html, element, joined
from headcount.text import DASH, plural, unbroken

MOST_CHARTS = 4
"""Most charts of a series; the most important figures come first."""


def render(found: History, made_at: str) -> str:
    """The whole page. Pure: the same history gives the same page."""
    title = found.series[0].title if len(found.series) == 1 else "Runs over time"
    main = element(
        "main",
        element(
            "header",
            element("p", "Headcount \N{MIDDLE DOT} history", class_="brand"),
            element("h1", title),
            element("p", f"Made {made_at}.", class_="where"),
        ),
        *(_series(one) for one in found.series),
    )
    footer = f"Made by Headcount {__version__}. This file needs no other files."
    body = element("body", main, element("footer", footer))
    page = element("html", head(f"History: {title}", f"Headcount {__version__}"), body, lang="en")
    return f"<!doctype html>\n{page}\n"


def _series(series: Series) -> Html:
    doubts = element("ul", *(element("li", unbroken(line)) for line in series.doubts))
    changes = [element("li", f"{one.sentence} {reason(one)}") for one in series.changes]
    last = [one for one in series.changes if one.metric == series.metrics[0]][-1:]
    answer = element(
        "section",
        element("p", series.title, class_="interval"),
        element("p", unbroken(series.sentence), class_="sentence"),
        *(element("p", unbroken(reason(one)), class_="broke") for one in last),
        element("div", element("h3", "To know"), doubts, class_="doubts")
        if series.doubts
        else None,
        class_="answer",
        aria_label=f"The answer for {series.title}",
    )
    return joined(
        [
            answer,
            *(chart.section(series, name) for name in series.metrics[:MOST_CHARTS]),
            table.section("Changes", element("ul", *changes)) if changes else None,
            _runs(series),
        ]
    )


def _runs(series: Series) -> Html:
    metrics = series.metrics[:MOST_CHARTS]
    columns = (
        Column("Begun (UTC)", text=True),
        Column("Outcome", text=True),
        *(Column(_heading(series, name)) for name in metrics),
        Column("What differs from the run before", text=True),
    )
    rows = [row(columns, _cells(run, metrics)) for run in series.runs]
    return table.section("Every run", table.table(columns, rows, "Every run"))


def _heading(series: Series, name: str) -> str:
    of_level = name in ("throughput", "response.p95")
    return BY_ID[name].label + (f" at {plural('user', series.users)}" if of_level else "")


def _cells(run: Run, metrics: list[str]) -> list[Html | str]:
    begun = joined([run.started_at[:16].replace("T", " "), element("small", run.bundle)])
    figures = [
        value(run.readings[name].value, BY_ID[name].unit) if name in run.readings else DASH
        for name in metrics
    ]
    return [begun, run.outcome, *figures, "; ".join(run.unlike) or DASH]
