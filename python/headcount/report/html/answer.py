"""The answer: what a reader with ten seconds takes away."""

from headcount.bundle.verdict import Capacity, Verdict
from headcount.report.content import ReportContent
from headcount.report.key_figures import key_figures
from headcount.report.markup import Html, element, joined
from headcount.report.wording import confidence, flattening, judged
from headcount.text import unbroken

_OUTCOME = {
    "passed": "Passed",
    "failed": "Failed",
    "invalid": "Invalid",
    "interrupted": "Interrupted",
    "unfinished": "Unfinished",
}


def header(content: ReportContent) -> Html:
    """Say what was measured, where and when."""
    where = joined(
        [
            element("b", content.target),
            " \N{MIDDLE DOT} ",
            element("time", _moment(content.started_at), datetime=content.started_at),
            " \N{MIDDLE DOT} workload ",
            element("code", content.workload),
        ]
    )
    return element(
        "header",
        element("p", "Headcount \N{MIDDLE DOT} server capacity report", class_="brand"),
        element("h1", content.title),
        element("p", where, class_="where"),
    )


def answer(content: ReportContent) -> Html:
    """Give the answer, its interval, what broke first, the key figures and the doubts."""
    verdict = content.verdict
    broke = (
        element(
            "p", element("b", "What broke first: "), unbroken(verdict.broke_first), class_="broke"
        )
        if verdict.broke_first
        else None
    )
    return element(
        "section",
        element("p", _OUTCOME[verdict.outcome], class_=f"badge {verdict.outcome}"),
        element("p", unbroken(verdict.sentence), class_="sentence", id="answer"),
        _interval(verdict.capacity),
        *(element("p", unbroken(said), class_="interval") for said in flattening(verdict)),
        _judged(verdict),
        broke,
        _tiles(content),
        _doubts(content),
        class_="answer",
        aria_label="The answer",
    )


def _judged(verdict: Verdict) -> Html | None:
    said = judged(verdict)
    return element("p", unbroken(said), class_="interval") if said else None


def _interval(capacity: Capacity | None) -> Html | None:
    said = confidence(capacity)
    return element("p", unbroken(said), class_="interval") if said else None


def _tiles(content: ReportContent) -> Html:
    return element(
        "div",
        *(
            element(
                "div",
                element("h3", one.name),
                element("p", one.value, class_="value"),
                element("p", one.of),
            )
            for one in key_figures(content)
        ),
        class_="tiles",
    )


def _doubts(content: ReportContent) -> Html | None:
    doubts = content.verdict.flags
    if not doubts:
        return None
    return element(
        "div",
        element("h3", "Doubts to know of"),
        element("ul", *(element("li", unbroken(doubt)) for doubt in doubts)),
        class_="doubts",
    )


def _moment(started_at: str) -> str:
    """Write an ISO 8601 moment in UTC as people read it; anything else stays as it is."""
    date, found, time = started_at.partition("T")
    return f"{date} {time[:5]} UTC" if found and time.endswith(("Z", "+00:00")) else started_at
