"""The answer of `headcount price` as one HTML page that needs nothing from anywhere."""

from headcount import __version__
from headcount.analyse.prices.curve import points
from headcount.analyse.prices.period_words import AGAIN
from headcount.analyse.prices.price_report import PriceReport
from headcount.report.figures import cost
from headcount.report.figures.figure_types import Figure
from headcount.report.head import head
from headcount.report.html import drawn, script
from headcount.report.html.price import printed_table
from headcount.report.html.table import section
from headcount.report.markup import Html, element, joined
from headcount.report.prices.tables import tables
from headcount.text import unbroken

TITLE = "What it costs"
NOTE = (
    "Prices are as stated by the author of this page, not checked. Capacities are measured unless "
    "marked otherwise."
)


def render(report: PriceReport, made_at: str) -> str:
    """The whole page. Pure: the same answer gives the same page."""
    title = " and ".join(one.name for one in report.configurations)
    drawing = drawn.section(curve(report))
    main = element("main", _header(title, made_at), _answer(report), drawing, _tables(report))
    footer = f"Made by Headcount {__version__}. This file needs no other files."
    content = joined([main, element("footer", footer)])
    # A page without a chart needs no script, so its policy allows none.
    used = script.text() if "data-plot=" in content else None
    page = element(
        "html",
        head(
            f"{TITLE}: {title}",
            f"Headcount {__version__}",
            used,
            script.style() if used else None,
        ),
        element("body", content, element("script", Html(used)) if used else None),
        lang="en",
    )
    return f"<!doctype html>\n{page}\n"


def curve(report: PriceReport) -> Figure | None:
    """The cost curves of the configurations; None if no price is known."""
    need = report.need.most_users if report.need is not None else None
    unit = f"{report.currency}{AGAIN[report.basis or 'once']}"
    curves = [
        cost.Curve(one.name, [(users, float(amount)) for users, amount in points(one.steps)])
        for one in report.curves
    ]
    return cost.figure(curves, unit, need)


def _header(title: str, made_at: str) -> Html:
    return element(
        "header",
        element("p", "Headcount \N{MIDDLE DOT} price", class_="brand"),
        element("h1", title),
        element("p", f"Made {made_at}.", class_="where"),
    )


def _answer(report: PriceReport) -> Html:
    first, *others = report.sentences or [TITLE]
    doubts = element("ul", *(element("li", unbroken(line)) for line in report.doubts))
    return element(
        "section",
        element("p", unbroken(first), class_="sentence", id="answer"),
        *(element("p", unbroken(line), class_="interval") for line in others),
        element("div", element("h3", "Known doubts"), doubts, class_="doubts")
        if report.doubts
        else None,
        class_="answer",
        aria_label="The answer",
    )


def _tables(report: PriceReport) -> Html:
    made = [section(one.title, printed_table(one, one.note)) for one in tables(report)]
    return joined([*made, section("How to read this", *_reading(report))])


def _reading(report: PriceReport) -> list[Html]:
    return [element("p", line, class_="note") for line in (NOTE, report.rounding)]
