"""What the steps of users did at each level of a ladder: WebBench's second half of a result."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.bundle.level import LevelResult, StepResult
from headcount.bundle.verdict import Verdict

MOST_STEPS = 6
"""More would make a table that nobody reads; the steps of one level are in a table of their own."""
CONNECT = "CONNECT"
"""How protocols call a connection that is begun, among their requests."""


@dataclass(frozen=True, slots=True)
class Course:
    """What is shown of each level.

    Attributes:
        steps: Names of the steps, in the order of the plan.
        moved: Whether any bytes were read or written.
        connections: Whether connections were counted.

    """

    steps: Sequence[str]
    moved: bool
    connections: bool


def course(verdict: Verdict, levels: Sequence[LevelResult]) -> Course | None:
    """What there is to show; None but for ladders whose users do few different things."""
    steps = [step.name for step in levels[0].steps] if levels else []
    if verdict.kind != "ladder" or not 1 <= len(steps) <= MOST_STEPS:
        return None
    return Course(
        steps,
        any(moved_per_s(level) for level in levels),
        any(level.requests.get(CONNECT) for level in levels),
    )


def moved_per_s(level: LevelResult) -> float:
    """Bytes read and written, added up, per second."""
    return level.total.read_bytes_per_s + level.total.written_bytes_per_s


def connections_per_s(level: LevelResult) -> float:
    """Connections begun per second."""
    return level.requests.get(CONNECT, 0) / max(level.steady_s, 1e-9)


def of_step(name: str, pick: Callable[[StepResult], float | None]) -> Callable[..., float | None]:
    """A figure of the step of this name, in a level; None where there is none."""

    def found(level: LevelResult) -> float | None:
        return next((pick(step) for step in level.steps if step.name == name), None)

    return found


def mean_ms(name: str) -> Callable[..., float | None]:
    """Mean service time of a step, in ms."""
    return of_step(name, lambda step: step.service.mean_ms if step.service else None)


def p95_ms(name: str) -> Callable[..., float | None]:
    """95th percentile of the service time of a step, in ms."""
    return of_step(name, lambda step: step.service.p95_ms if step.service else None)
