"""What was played: the workload, its sources, and its deviations from them."""

import re

from headcount.report.content import ReportContent
from headcount.report.html.table import folded as make_section
from headcount.report.markup import Html, element

_ADDRESS = re.compile(r"https?://[^\s\"'<>]+")


def section(content: ReportContent) -> Html:
    """Describe the workload."""
    return make_section(
        "The workload",
        element("p", content.description) if content.description else None,
        element("p", f"Re-creates {content.recreates}; no result is a score of the original.")
        if content.recreates
        else None,
        element("p", _played(content.program)) if content.program else None,
        element("p", _sentence(content.shrunk)) if content.shrunk else None,
        element("h3", "Sources") if content.sources else None,
        element("ul", *(element("li", _linked(source)) for source in content.sources))
        if content.sources
        else None,
        element("h3", "Where it deviates") if content.deviations else None,
        element("ul", *(element("li", deviation) for deviation in content.deviations))
        if content.deviations
        else None,
    )


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _played(program: str) -> str:
    return (
        f"Every user plays {program}, in order, over and over. Each kind of operation is a "
        "scenario here; a failed operation names its line."
    )


def _linked(source: str) -> Html | str:
    """A source, as a link if it is only an address."""
    if _ADDRESS.fullmatch(source) is None:
        return source
    return element("a", source, href=source, rel="noopener noreferrer")
