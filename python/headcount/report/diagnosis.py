"""The diagnosis as reports say it: in lines, each with what it is."""

from collections.abc import Iterator

from headcount.analyse.diagnosis.ruled_out import NAMES
from headcount.bundle.diagnosis import Candidate, Diagnosis, Limit, RuledOut
from headcount.text import percent, plural, share

LEAST_RIVAL = 0.25
"""Score from which a second candidate is worth a line beside a diagnosis of high confidence."""
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

__all__ = [
    "CHARTED",
    "NAMES",
    "bottleneck",
    "candidate_text",
    "charted",
    "confidence",
    "ruled_out",
    "short",
    "whole",
]


def short(diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    """Give the lines beside a run's answer: two to four of them."""
    yield "Bottleneck", bottleneck(diagnosis)
    yield from _threads(diagnosis)
    rival = diagnosis.runner_up
    if rival is not None and (rival.score or 0.0) >= LEAST_RIVAL:
        yield "Second candidate", candidate_text(rival)
    if diagnosis.next is not None:
        yield "Next limit", diagnosis.next.sentence
    if diagnosis.advice:
        yield "Suggestion", diagnosis.advice[0].sentence


def whole(diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    """Give everything there is to say, for whoever asked for the diagnosis."""
    yield "Bottleneck", bottleneck(diagnosis)
    yield from _evidence(diagnosis)
    for other in diagnosis.joint:
        yield "Also limits", candidate_text(other)
    if diagnosis.runner_up is not None and (diagnosis.runner_up.score or 0.0) >= LEAST_CHARTED:
        yield "Second candidate", candidate_text(diagnosis.runner_up)
    for one in diagnosis.ruled_out:
        yield "Ruled out", ruled_out(one)
    if diagnosis.next is not None:
        yield "Next limit", diagnosis.next.sentence
    for doubt in diagnosis.doubts:
        yield "Doubt", doubt
    for missing in diagnosis.not_observed:
        yield "Not observed", missing.sentence
    for piece in diagnosis.advice:
        yield "Suggestion", piece.sentence


def _evidence(diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    for figure in diagnosis.figures:
        at = f" (at {plural('user', figure.users)})" if figure.users is not None else ""
        yield "Evidence", figure.sentence + at
    yield from _threads(diagnosis)
    for line in diagnosis.log_lines:
        yield "Server log", line.text


def _threads(diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    if diagnosis.waits is not None:
        yield "Threads", diagnosis.waits.sentence
        if diagnosis.waits.program is not None:
            yield "In the program", diagnosis.waits.program


def bottleneck(diagnosis: Diagnosis) -> str:
    """What limits the server and how sure that is, in a sentence."""
    how_sure = confidence(diagnosis)
    if not how_sure:
        return diagnosis.sentence
    return f"{diagnosis.sentence.rstrip('.')} ({how_sure})."


def ruled_out(found: RuledOut) -> str:
    """What did not limit, and the figure that shows it: `the disk: ...`."""
    return found.sentence.removeprefix("not ")


def candidate_text(candidate: Candidate) -> str:
    """A candidate with its score."""
    return f"{candidate.sentence} (score {share(candidate.score)})"


def confidence(diagnosis: Diagnosis) -> str:
    """How sure it is, such as `high confidence, 97%`; empty where the limit is unknown."""
    if diagnosis.limit == "unknown":
        return ""
    return f"{diagnosis.confidence_word} confidence, {percent(diagnosis.confidence)}"


def charted(diagnosis: Diagnosis) -> list[Limit]:
    """The limits with a strip in the chart: resources that were seen, and what anything spoke for.

    A strip that stays at zero rules a resource out.
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
