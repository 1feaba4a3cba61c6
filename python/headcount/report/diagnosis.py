"""The diagnosis as reports say it: in lines, each with what it is."""

from collections.abc import Iterator

from headcount.analyse.diagnosis.unseen import NAMES
from headcount.bundle.diagnosis import Candidate, Diagnosis, Limit
from headcount.text import share

LEAST_RIVAL = 0.25
"""Score from which the runner-up is worth a line beside a diagnosis of high confidence."""
LEAST_CHARTED = 0.05
"""Score at any level from which something is drawn."""
CHARTED: dict[Limit, str] = {
    "generator": "Generator",
    "refusal": "Refusals",
    "cpu": "CPU",
    "thread": "One thread",
    "memory": "Memory",
    "disk": "Disk",
    "network": "Network",
    "pool": "Pool",
    "lock": "Lock",
}
"""Strips of the chart, and what they are called there."""
SELDOM: frozenset[Limit] = frozenset({"generator", "refusal"})
"""Strips that are left out where nothing speaks for them."""

__all__ = ["CHARTED", "NAMES", "charted", "short", "sureness", "told", "whole"]


def short(diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    """Give the lines beside a run's answer: two to four of them."""
    yield "What stops it", f"{diagnosis.sentence} {sureness(diagnosis)}"
    rival = diagnosis.runner_up
    if rival is not None and (rival.score or 0.0) >= LEAST_RIVAL:
        yield "Else", f"{rival.sentence} (score {share(rival.score)})"
    if diagnosis.next is not None:
        yield "Next", f"{diagnosis.next.sentence}"
    if diagnosis.advice:
        yield "Advice", diagnosis.advice[0].sentence


def whole(diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    """Give everything there is to say, for whoever asked for the diagnosis."""
    yield "What stops it", f"{diagnosis.sentence} {sureness(diagnosis)}"
    for figure in diagnosis.figures:
        at = f" (at {figure.users:,} users)" if figure.users is not None else ""
        yield "Because", figure.sentence + at
    for line in diagnosis.log_lines:
        yield "The server's log", line.text
    for other in diagnosis.joint:
        yield "With it", told(other)
    if diagnosis.runner_up is not None and (diagnosis.runner_up.score or 0.0) >= LEAST_CHARTED:
        yield "Runner-up", told(diagnosis.runner_up)
    for cleared in diagnosis.exonerated:
        yield "Cleared", cleared.sentence
    if diagnosis.next is not None:
        yield "Next", diagnosis.next.sentence
    for doubt in diagnosis.doubts:
        yield "Doubt", doubt
    for unseen in diagnosis.blind:
        yield "Unseen", unseen.sentence
    for piece in diagnosis.advice:
        yield "Advice", piece.sentence


def told(candidate: Candidate) -> str:
    """A candidate with its score."""
    return f"{candidate.sentence} (score {share(candidate.score)})"


def sureness(diagnosis: Diagnosis) -> str:
    """How sure it is, for the end of a sentence; nothing of what is not known."""
    if diagnosis.limit == "unknown":
        return ""
    return f"(confidence {diagnosis.sureness}, {diagnosis.confidence:.0%})"


def charted(diagnosis: Diagnosis) -> list[Limit]:
    """The limits with a strip in the chart: resources that were seen, and what anything spoke for.

    A strip that stays at zero is what clears a resource.
    """
    seen = {limit for level in diagnosis.levels for limit in level.scores}
    most = {
        limit: max(level.scores.get(limit, 0.0) for level in diagnosis.levels) for limit in seen
    }
    return [
        limit
        for limit in CHARTED
        if limit in seen and (limit not in SELDOM or most[limit] >= LEAST_CHARTED)
    ]
