"""Counts of scenarios, steps, tasks and faults, as records of our own.

The fields are those of the engine's counts. Seconds read back from a bundle and stretches of a
level use them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from headcount._engine import Histogram

NONE: Histogram = Histogram.merge([])
"""The empty histogram."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario's counts; see `docs/bundle.md`. `pending` and `overdue` are those at the end."""

    started: int
    completed: int
    failed: int
    slow: int
    late: int
    overloaded: int
    overdue: int
    response_s: float
    service_s: float
    read_bytes: int
    written_bytes: int
    response: Histogram
    service: Histogram
    pending: Histogram


@dataclass(frozen=True, slots=True)
class Step:
    """A step's counts."""

    completed: int
    failed: int
    service_s: float
    read_bytes: int
    written_bytes: int
    service: Histogram


@dataclass(frozen=True, slots=True)
class Task:
    """A task's counts."""

    completed: int
    failed: int
    service_s: float
    squares_ms2: float
    service: Histogram


@dataclass(frozen=True, slots=True)
class Line:
    """The counts of all scenarios of the users on one line."""

    started: int
    completed: int
    failed: int
    overloaded: int
    response: Histogram


@dataclass(frozen=True, slots=True)
class Fault:
    """Faults of one kind at one step, with one message."""

    step: int | None
    kind: str
    count: int
    group: int = 0
    examples: Sequence[str] = ()
