"""The observer of a run: the live display, or nobody."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Verdict
from headcount.plan.plan import Plan

TRIAL = "one user plays every scenario"
"""The phase before the first level."""


@dataclass(frozen=True, slots=True)
class Phase:
    """The current step, and when it ends."""

    name: str
    """prepare, ramp, settle, steady, drain, or TRIAL."""
    level: int
    purpose: str
    users: int
    seconds: float
    """Planned length of the phase; 0 if unknown."""


@dataclass(frozen=True, slots=True)
class Second:
    """One second of a run, for the display."""

    users: int
    rate_per_s: float
    p95_ms: float | None
    failed: int
    cpu_share: float | None


@dataclass(frozen=True, slots=True)
class Outlook:
    """How far a run is: levels done, seconds left, and what is known of the capacity."""

    levels: int
    remaining_s: float
    low: float
    high: float
    estimate: float | None


class Listener(Protocol):
    """Receives events; must return quickly, because the run waits."""

    def started(self, plan: Plan, folder: Path) -> None:
        """The bundle is open."""
        ...

    def phase(self, phase: Phase) -> None:
        """A phase begins."""
        ...

    def prepared(self, done: int, users: int) -> None:
        """The data of `done` users is ready."""
        ...

    def second(self, second: Second) -> None:
        """A second has passed."""
        ...

    def level(self, result: LevelResult) -> None:
        """A level has ended."""
        ...

    def noted(self, text: str) -> None:
        """Something happened that an observer should know, and that changes no figure."""
        ...

    def outlook(self, outlook: Outlook) -> None:
        """How far the run is."""
        ...

    def finished(self, verdict: Verdict) -> None:
        """The run has ended."""
        ...


class Silent:
    """Ignores everything."""

    def started(self, plan: Plan, folder: Path) -> None:
        """Nothing."""

    def phase(self, phase: Phase) -> None:
        """Nothing."""

    def prepared(self, done: int, users: int) -> None:
        """Nothing."""

    def second(self, second: Second) -> None:
        """Nothing."""

    def level(self, result: LevelResult) -> None:
        """Nothing."""

    def noted(self, text: str) -> None:
        """Nothing."""

    def outlook(self, outlook: Outlook) -> None:
        """Nothing."""

    def finished(self, verdict: Verdict) -> None:
        """Nothing."""
