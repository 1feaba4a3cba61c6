"""The answer, on the first screen: for readers who have ten seconds."""

import math
import re
from collections.abc import Iterator

from headcount.bundle.confirmation import Confirmation
from headcount.bundle.verdict import Capacity, Verdict
from headcount.report.answer_sentences import confidence, flattening, judged
from headcount.report.content import ReportContent
from headcount.report.diagnosis import confidence as diagnosis_confidence
from headcount.report.diagnosis import tested
from headcount.report.document.meaning import headline
from headcount.report.document.prose import before_brackets, before_figures, moment, sentence
from headcount.report.failures import short_text, telling
from headcount.report.html.table import more
from headcount.report.key_figures import KeyFigure, key_figures
from headcount.report.markup import Html, element, joined
from headcount.text import count, interval, plural, unbroken

_OUTCOME = {
    "passed": "Passed",
    "failed": "Failed",
    "invalid": "Invalid",
    "interrupted": "Interrupted",
    "unfinished": "Unfinished",
}
_ENDS = re.compile(r"(?<=\.) (?=[A-Z])")
"""The place between two sentences."""
_STANDS_BACK = frozenset({"CPU of the server", "Time it took"})
"""Key figures that are folded: the first screen has only the answer."""


def header(content: ReportContent) -> Html:
    """Say what was measured, where and on which day."""
    where = joined(
        [
            element("b", content.target),
            " \N{MIDDLE DOT} ",
            element("time", _day(content.started_at), datetime=content.started_at),
        ]
    )
    return element(
        "header",
        element("p", "Headcount", class_="brand"),
        element("h1", before_brackets(content.title)),
        element("p", where, class_="where"),
    )


def answer(content: ReportContent) -> Html:
    """Give the number with its interval, the limit, the figures at that level, and what to do."""
    verdict = content.verdict
    number = headline(verdict)
    figures = key_figures(content)
    return element(
        "section",
        _badge(verdict, quoted=number is not None),
        element(
            "p",
            unbroken(_capital(number or verdict.sentence)),
            class_="number" if number else "sentence",
            id="answer",
        ),
        element("p", *_interval(verdict.capacity), class_="interval") if number else None,
        _lines(list(_reasons(verdict, content.confirmation))),
        _tiles([one for one in figures if one.name not in _STANDS_BACK]),
        _doubts(verdict),
        _background(content, figures),
        class_="answer",
        aria_label="The answer",
    )


def _badge(verdict: Verdict, *, quoted: bool) -> Html | None:
    """The outcome as a badge; a number that passed needs none."""
    if quoted and verdict.outcome == "passed":
        return None
    return element("p", _OUTCOME[verdict.outcome], class_=f"badge {verdict.outcome}")


def _interval(capacity: Capacity | None) -> Iterator[Html | str]:
    """The confidence interval, and the estimate behind it."""
    if capacity is None:
        return
    if capacity.at_least:
        yield "No upper end: the server may hold more."
    elif capacity.low is not None and capacity.high is not None:
        bounds = interval(math.floor(capacity.low), math.ceil(capacity.high))
        yield f"95% confidence interval {bounds}"
        if capacity.estimate is not None:
            yield element("span", f" \N{MIDDLE DOT} estimate {count(capacity.estimate)}")


def _reasons(verdict: Verdict, confirmation: Confirmation | None) -> Iterator[tuple[str, str]]:
    """What limits the server, and what to do next: a line each."""
    found = verdict.diagnosis
    for failure in telling(verdict)[:1]:
        yield "Failed", short_text(failure)
    if found is not None:
        how_sure = "; ".join(
            part for part in (diagnosis_confidence(found), tested(found, confirmation)) if part
        )
        yield "Bottleneck", before_figures(found.sentence) + (f" ({how_sure})" if how_sure else "")
    elif verdict.broke_first:
        yield "Broke first", verdict.broke_first
    todo = _next(verdict)
    if todo:
        yield "Next", todo


def _next(verdict: Verdict) -> str | None:
    """What to do next; None without a suggestion."""
    if verdict.outcome in ("interrupted", "unfinished"):
        return "Finish the run with headcount resume."
    if verdict.capacity is not None and verdict.capacity.at_least:
        return "Run again with more users."
    if verdict.diagnosis is not None and verdict.diagnosis.advice:
        first, *_ = _ENDS.split(verdict.diagnosis.advice[0].sentence, maxsplit=1)
        return sentence(before_figures(first))
    return None


def _lines(items: list[tuple[str, str]]) -> Html | None:
    if not items:
        return None
    made = (
        element("div", element("dt", name), element("dd", unbroken(text))) for name, text in items
    )
    return element("dl", *made, class_="lines")


def _tiles(figures: list[KeyFigure]) -> Html | None:
    """The key figures; a note that several share is only at the first."""
    if not figures:
        return None
    tiles = []
    before = ""
    for one in figures:
        of = one.of.partition(", 95% interval")[0]
        tiles.append(
            element(
                "div",
                element("h3", one.name),
                element("p", one.value, class_="value"),
                element("p", of) if of != before else None,
            )
        )
        before = of
    return element("div", *tiles, class_="tiles")


def _doubts(verdict: Verdict) -> Html | None:
    if not verdict.flags:
        return None
    items = (element("li", unbroken(doubt)) for doubt in verdict.flags)
    summary = element("summary", plural("doubt", len(verdict.flags)))
    return element("details", summary, element("ul", *items), class_="doubts")


def _background(content: ReportContent, figures: list[KeyFigure]) -> Html:
    """The answer in full sentences, folded."""
    verdict = content.verdict
    found = [
        verdict.sentence,
        confidence(verdict.capacity),
        *flattening(verdict),
        judged(verdict),
        f"What broke first: {verdict.broke_first}" if verdict.broke_first else None,
        *(f"{one.name}: {one.value}, {one.of}" for one in figures),
        f"Workload {content.workload}, started {moment(content.started_at)}.",
    ]
    items = (element("li", unbroken(text)) for text in found if text)
    return more("Full answer", element("ul", *items))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _day(started_at: str) -> str:
    """The day of an ISO 8601 moment; anything else stays as it is."""
    return started_at.partition("T")[0]
