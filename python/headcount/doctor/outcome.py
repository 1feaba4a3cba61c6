"""How a check says what it found."""

from dataclasses import dataclass

from headcount.doctor.examination import Verdict


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check found; the fields are those of `record.CheckResult`."""

    verdict: Verdict
    read: str
    meaning: str
    fixes: tuple[str, ...] = ()
    stops_runs: bool = False


def ok(read: str, meaning: str) -> Outcome:
    """The outcome of a check that found nothing to fix."""
    return Outcome("ok", read, meaning)


def limited(read: str, meaning: str, *fixes: str) -> Outcome:
    """The outcome of a check that found a limit: runs work, with less."""
    return Outcome("limited", read, meaning, fixes)


def missing(read: str, meaning: str, *fixes: str) -> Outcome:
    """The outcome of a check that found something missing that plain runs work without."""
    return Outcome("missing", read, meaning, fixes)


def stopping(read: str, meaning: str, *fixes: str) -> Outcome:
    """The outcome of a check that found something missing that no plain run works without."""
    return Outcome("missing", read, meaning, fixes, stops_runs=True)
