"""Outages on the page: what users felt, how much it differs, and each repetition."""

from headcount.bundle.failover import Failover
from headcount.report.content import ReportContent
from headcount.report.document import outage_tables as tables
from headcount.report.failover import TITLE, facts, headline
from headcount.report.html.block_table import block_table
from headcount.report.html.table import folded, section
from headcount.report.markup import Html, element
from headcount.text import unbroken

_BADGES = {"interrupted": "Interrupted", "failed": "Failed"}


def answer(content: ReportContent) -> Html | None:
    """How long users got no answers, and which fault was made."""
    found = content.failover
    if found is None:
        return None
    number = headline(found)
    return element(
        "section",
        element("h2", TITLE),
        _badge(found),
        element("p", unbroken(number), class_="number") if number else None,
        element(
            "p", unbroken(found.sentence), class_="broke" if number else "sentence", id="answer"
        ),
        element(
            "dl",
            *(
                element("div", element("dt", name), element("dd", unbroken(text)))
                for name, text in facts(found)
            ),
            class_="lines",
        ),
        class_="answer",
        aria_label="The answer",
    )


def felt(content: ReportContent) -> Html | None:
    """Each figure over all repetitions."""
    made = tables.felt(content.failover) if content.failover is not None else None
    return section(made.caption, block_table(made)) if made is not None else None


def nodes(content: ReportContent) -> Html | None:
    """What each node did in the outage that the chart shows."""
    made = tables.nodes(content.failover) if content.failover is not None else None
    return section(made.caption, block_table(made)) if made is not None else None


def repetitions(content: ReportContent) -> Html | None:
    """A row for each repetition."""
    made = tables.repetitions(content.failover) if content.failover is not None else None
    return folded(made.caption, block_table(made)) if made is not None else None


def _badge(found: Failover) -> Html | None:
    if found.ending not in _BADGES:
        return None
    return element("p", _BADGES[found.ending], class_=f"badge {found.ending}")
