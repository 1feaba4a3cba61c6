"""The first page: the result for managers, one line per topic, without technical terms."""

import math
from collections.abc import Iterator

from headcount.bundle.verdict import Verdict
from headcount.report.answer_sentences import price_text, priced
from headcount.report.content import ReportContent
from headcount.report.document.prose import before_figures, sentence
from headcount.report.failures import short_text, telling
from headcount.text import count, plural


def summary(content: ReportContent) -> list[tuple[str, str]]:
    """The question, what limits the server, what it costs, what to change, and how sure that is."""
    return list(_lines(content))


def _lines(content: ReportContent) -> Iterator[tuple[str, str]]:
    verdict = content.verdict
    asked = "How many users can {} serve before responses become too slow or fail?"
    if verdict.kind == "level":
        asked = "Can {} serve this many users without responses that are too slow or fail?"
    yield "Question", asked.format(content.target)
    found = verdict.diagnosis
    for failure in telling(verdict)[:1]:
        yield "What failed", sentence(short_text(failure))
    if found is not None:
        yield "What limits it", sentence(before_figures(found.sentence))
    prices = priced(verdict)
    if prices:
        yield "What it costs", f"{sentence(prices[0])} For {price_text(verdict)}."
    if found is not None and found.advice:
        yield "What to change", sentence(before_figures(found.advice[0].sentence))
    sure = " ".join(_sure(verdict))
    if sure:
        yield "How sure", sure


def _sure(verdict: Verdict) -> Iterator[str]:
    capacity = verdict.capacity
    if capacity is not None and capacity.low is not None and capacity.high is not None:
        low, high = count(math.floor(capacity.low)), count(math.ceil(capacity.high))
        yield f"95% confidence interval {low} to {high} users."
    elif capacity is not None and capacity.at_least:
        yield "No level failed clearly: the server may hold more."
    if verdict.diagnosis is not None and verdict.diagnosis.limit != "unknown":
        yield f"Confidence in the diagnosis: {verdict.diagnosis.confidence_word}."
    if verdict.flags:
        yield f"{plural('doubt', len(verdict.flags))}: see the executive overview."
