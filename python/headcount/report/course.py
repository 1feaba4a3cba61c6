"""The steps of users at each level of a ladder: the second half of a WebBench result."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.bundle.level import LevelResult, StepResult
from headcount.bundle.verdict import Verdict

MOST_STEPS = 6
"""With more steps nobody would read the table; another table has the steps of one level."""
CONNECT = "CONNECT"
"""The name of opening a connection among the requests of protocols."""


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
    """What to show; None unless the run is a ladder whose users have few steps."""
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
    """Connections opened per second."""
    return level.requests.get(CONNECT, 0) / max(level.steady_s, 1e-9)


def of_step(name: str, pick: Callable[[StepResult], float | None]) -> Callable[..., float | None]:
    """A function that picks a figure of the named step from a level; None without that step."""

    def found(level: LevelResult) -> float | None:
        return next((pick(step) for step in level.steps if step.name == name), None)

    return found


def mean_ms(name: str) -> Callable[..., float | None]:
    """Mean service time of a step, in ms."""
    return of_step(name, lambda step: step.service.mean_ms if step.service else None)


def p95_ms(name: str) -> Callable[..., float | None]:
    """95th percentile of the service time of a step, in ms."""
    return of_step(name, lambda step: step.service.p95_ms if step.service else None)
