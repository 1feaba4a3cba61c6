"""What several experiments together show about the first limit of a diagnosis."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headcount.analyse.diagnosis.limit_names import NAMES
from headcount.analyse.experiments.limits import PROGRAM, RESOURCES
from headcount.bundle.confirmation import Answer, Finding
from headcount.bundle.diagnosis import Diagnosis, Limit

LEAST_RIVAL = 0.25
"""Score from which another candidate must be ruled out; reports name a second one from it on."""
CHANGED: frozenset[Limit] = frozenset(
    {"cpu", "memory", "disk", "network", "generator", "upstream", "refusal"}
)
"""Limits that only an experiment shows that changes the resource itself."""
AGAIN = "Repeat it with more time (--confirm-time 5m), or when the machine is quieter."
SINGLE = 1.5
"""A pool with fewer places is a serial section: experiments cannot tell them apart, nor need to."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What experiments show about the limit that was tested.

    Attributes:
        answer: Whether it is confirmed, refuted or undecided.
        experiments: Those that decided; empty if it is undecided.
        supported: The one limit that fits all results; None if several do, or none.
        open: Rivals that no experiment told from the first limit.
        sentence: The answer, for people.

    """

    answer: Answer
    experiments: list[str]
    supported: Limit | None
    open: list[Limit]
    sentence: str


def rivals_of(diagnosis: Diagnosis) -> frozenset[Limit]:
    """The limits that experiments must tell from the first.

    Always those of the program and a merely slow server, because the diagnosis knows all of them
    from the same few figures. Others only if the diagnosis has evidence for them; counters have
    shown that the rest are idle.
    """
    first = diagnosis.limit
    scored = {one.limit for one in diagnosis.candidates if (one.score or 0.0) >= LEAST_RIVAL}
    joint = {one.limit for one in diagnosis.joint}
    found: set[Limit] = {*PROGRAM, "delay", *scored, *joint} - {first, "unknown", "none"}
    if first == "none":
        found -= {"delay"}  # in neither case do other users slow a user down
    if first == "pool" and diagnosis.size is not None and diagnosis.size < SINGLE:
        found -= {"lock"}
    if first in RESOURCES or first == "upstream":
        # Experiments on the resource and its counters judge limits related to it.
        found -= PROGRAM - scored - joint
    return frozenset(found)


def conclude(diagnosis: Diagnosis, findings: Sequence[Finding]) -> Conclusion:
    """The answer from all findings."""
    first, rivals = diagnosis.limit, rivals_of(diagnosis)
    excluded: set[Limit] = {one for finding in findings for one in finding.contradicts}
    supported = _only(_fitting(findings, excluded), rivals | {first})
    against = next((finding for finding in findings if first in finding.contradicts), None)
    if against is not None:
        text = _refuted_text(diagnosis, against, supported, findings)
        return Conclusion("refuted", [against.experiment], supported, [], text)
    open_ = sorted(rivals - excluded)
    speaking = [one for one in findings if first in one.supports]
    direct = [one for one in speaking if first in one.direct]
    if (direct and first in CHANGED) or (speaking and not open_ and first not in CHANGED):
        decisive = direct[:1] or _needed(speaking, rivals)
        names = [one.experiment for one in decisive]
        return Conclusion("confirmed", names, first, [], _confirmed_text(diagnosis, decisive))
    return Conclusion("undecided", [], supported, open_, _open_text(diagnosis, findings, open_))


def _needed(speaking: Sequence[Finding], rivals: frozenset[Limit]) -> list[Finding]:
    """The findings that together exclude every rival, the strongest first."""
    left, needed = set(rivals), list[Finding]()
    for one in sorted(speaking, key=lambda one: -len(rivals & set(one.contradicts))):
        if not needed or left & set(one.contradicts):
            needed.append(one)
            left -= set(one.contradicts)
    return needed


def _fitting(findings: Sequence[Finding], excluded: set[Limit]) -> set[Limit]:
    """The limits that fit every experiment that had a result."""
    sets = [set(finding.supports) for finding in findings if finding.supports]
    return set.intersection(*sets) - excluded if sets else set()


def _only(fitting: set[Limit], considered: frozenset[Limit]) -> Limit | None:
    """The one limit that fits; if several fit, the only one that the diagnosis considers."""
    if len(fitting) == 1:
        return next(iter(fitting))
    narrowed = fitting & considered
    return next(iter(narrowed)) if len(narrowed) == 1 else None


def _confirmed_text(diagnosis: Diagnosis, decisive: Sequence[Finding]) -> str:
    names = " and ".join(f"`{one.experiment}`" for one in decisive)
    noun = "experiment" if len(decisive) == 1 else "experiments"
    results = " ".join(_sentence(one.sentence) for one in decisive)
    what = f"the limit is {_name(diagnosis.limit, decisive)}"
    if diagnosis.limit == "none":
        what = "no limit was reached"
    return f"Confirmed by {noun} {names}: {what}. {results}"


def _refuted_text(
    diagnosis: Diagnosis, against: Finding, supported: Limit | None, findings: Sequence[Finding]
) -> str:
    what = f"the limit is not {NAMES[diagnosis.limit]}"
    if diagnosis.limit == "none":
        what = "there is a limit"
    text = f"Refuted by experiment `{against.experiment}`: {what}. {_sentence(against.sentence)}"
    if supported is not None:
        text += f" The experiments support {_name(supported, findings)} instead."
    return text


def _open_text(diagnosis: Diagnosis, findings: Sequence[Finding], open_: Sequence[Limit]) -> str:
    first = NAMES[diagnosis.limit]
    if not findings:
        return f"Undecided: no experiment gave a result, so the limit may or may not be {first}."
    results = " ".join(f"`{one.experiment}`: {_sentence(one.sentence)}" for one in findings)
    if diagnosis.limit == "unknown":
        fits = _fitting(findings, {one for each in findings for one in each.contradicts})
        what = f"the results fit {_names(fits)}" if fits else "the results fit no single limit"
        return f"Undecided: {what}. {results}"
    if not first_fits(diagnosis.limit, findings):
        return f"Undecided: the intervals are too wide to say whether it is {first}. {results}"
    if open_:
        return f"Undecided: the results fit {first}, but also {_names(open_)}. {results}"
    return f"Undecided: the results fit {first}, but only changing it would show. {results}"


def first_fits(first: Limit, findings: Sequence[Finding]) -> bool:
    """Whether an experiment supports the limit."""
    return any(first in one.supports for one in findings)


def next_step(diagnosis: Diagnosis, conclusion: Conclusion, findings: Sequence[Finding]) -> str:
    """What would decide the question, or what to do with the answer."""
    if conclusion.answer == "confirmed":
        return diagnosis.advice[0].sentence if diagnosis.advice else "Change it, and run again."
    if conclusion.answer == "refuted":
        what = NAMES[conclusion.supported] if conclusion.supported is not None else "what is left"
        return f"Look for {what} before changing anything, and run again."
    if findings and diagnosis.limit != "unknown" and not first_fits(diagnosis.limit, findings):
        return AGAIN
    return _deciding_step(diagnosis.limit, set(conclusion.open), findings)


def _deciding_step(first: Limit, missing: set[Limit], findings: Sequence[Finding]) -> str:
    """What would tell the remaining limits apart."""
    played = {one.experiment for one in findings}
    if missing & PROGRAM and "kinds" not in played:
        return (
            "Only scenarios of different cost tell a rate limit from a pool or a lock: give the "
            "workload two scenarios, one at least twice as expensive, and run again."
        )
    if (missing & RESOURCES or first == "cpu") and not played & {"nudge", "less"}:
        return (
            "On the server's machine, as root, add --allow-nudge; elsewhere, give Headcount the "
            "server's counters (--source) and run again."
        )
    if first == "upstream" or "upstream" in missing:
        return "Name another server that uses the same upstream: --beside URL."
    return AGAIN


def _name(limit: Limit, findings: Sequence[Finding]) -> str:
    size = next((one.size for one in findings if one.size is not None), None)
    if limit == "pool" and size is not None:
        return f"{NAMES[limit]}, about {size:.2g} at a time"
    return NAMES[limit]


def _names(limits: Iterable[Limit]) -> str:
    known = [NAMES[one] for one in sorted(limits)]
    return known[0] if len(known) == 1 else f"{', '.join(known[:-1])} or {known[-1]}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
