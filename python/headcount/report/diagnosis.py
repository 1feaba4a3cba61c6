"""The diagnosis as lines of a report, each with its name."""

from collections.abc import Iterator

from headcount.analyse.diagnosis.limit_names import NAMES
from headcount.bundle.confirmation import Confirmation
from headcount.bundle.diagnosis import Candidate, Diagnosis, Limit, RuledOut
from headcount.text import percent, plural, share

LEAST_RIVAL = 0.25
"""Score from which a second candidate gets a line beside a diagnosis of high confidence."""
LEAST_CHARTED = 0.05
"""Score at some level from which a limit of `SELDOM` is drawn."""
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
"""Names of the limits in the chart, in the order of its strips."""
SELDOM: frozenset[Limit] = frozenset({"generator", "refusal"})
"""Limits whose strips are left out unless something speaks for them."""

__all__ = [
    "CHARTED",
    "NAMES",
    "bottleneck",
    "candidate_text",
    "charted",
    "confidence",
    "ruled_out",
    "short",
    "tested",
    "whole",
]


def short(
    diagnosis: Diagnosis, confirmation: Confirmation | None = None
) -> Iterator[tuple[str, str]]:
    """The lines beside a run's answer: two to six of them."""
    yield "Bottleneck", bottleneck(diagnosis, confirmation)
    yield from _threads(diagnosis)
    rival = diagnosis.runner_up
    if rival is not None and (rival.score or 0.0) >= LEAST_RIVAL:
        yield "Second candidate", candidate_text(rival)
    if diagnosis.next is not None:
        yield "Next limit", diagnosis.next.sentence
    if diagnosis.advice:
        yield "Suggestion", diagnosis.advice[0].sentence


def whole(
    diagnosis: Diagnosis, confirmation: Confirmation | None = None
) -> Iterator[tuple[str, str]]:
    """All lines of the diagnosis, for readers who asked for it."""
    yield "Bottleneck", bottleneck(diagnosis, confirmation)
    yield from experiments(confirmation)
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


def bottleneck(diagnosis: Diagnosis, confirmation: Confirmation | None = None) -> str:
    """What limits the server, how sure that is and what experiments said, in a sentence."""
    brackets = [confidence(diagnosis), tested(diagnosis, confirmation)]
    how_sure = "; ".join(part for part in brackets if part)
    if not how_sure:
        return diagnosis.sentence
    return f"{diagnosis.sentence.rstrip('.')} ({how_sure})."


def experiments(confirmation: Confirmation | None) -> Iterator[tuple[str, str]]:
    """The result of experiments on the server, if there were any."""
    if confirmation is not None:
        yield "Experiments", confirmation.sentence


def tested(diagnosis: Diagnosis, confirmation: Confirmation | None) -> str:
    """What experiments said of the limit, such as `confirmed by experiment "kinds"`.

    Empty without any, or if they tested another limit than the diagnosis names now.
    """
    if confirmation is None or confirmation.limit != diagnosis.limit:
        return ""
    if confirmation.answer == "undecided":
        return "experiments left it undecided"
    one = len(confirmation.experiments) == 1
    names = " and ".join(f'"{name}"' for name in confirmation.experiments)
    text = f"{confirmation.answer} by experiment{'' if one else 's'} {names}"
    if confirmation.answer == "refuted" and confirmation.supported is not None:
        text += f", which {'supports' if one else 'support'} {NAMES[confirmation.supported]}"
    return text


def ruled_out(found: RuledOut) -> str:
    """What was not the limit, and the figure that shows it: `the disk: ...`."""
    return found.sentence.removeprefix("not ")


def candidate_text(candidate: Candidate) -> str:
    """A candidate with its score."""
    return f"{candidate.sentence} (score {share(candidate.score)})"


def confidence(diagnosis: Diagnosis) -> str:
    """How sure it is, such as `high confidence, 97%`; empty if the limit is unknown."""
    if diagnosis.limit == "unknown":
        return ""
    return f"{diagnosis.confidence_word} confidence, {percent(diagnosis.confidence)}"


def charted(diagnosis: Diagnosis) -> list[Limit]:
    """Limits with a strip in the chart: observed resources, and others that something speaks for.

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
