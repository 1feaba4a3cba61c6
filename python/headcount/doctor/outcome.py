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
    """Nothing to do."""
    return Outcome("ok", read, meaning)


def limited(read: str, meaning: str, *fixes: str) -> Outcome:
    """Runs work, with less."""
    return Outcome("limited", read, meaning, fixes)


def missing(read: str, meaning: str, *fixes: str) -> Outcome:
    """It is not there; plain runs work without it."""
    return Outcome("missing", read, meaning, fixes)


def stopping(read: str, meaning: str, *fixes: str) -> Outcome:
    """No plain run works without it."""
    return Outcome("missing", read, meaning, fixes, stops_runs=True)
