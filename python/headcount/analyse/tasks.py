"""Tasks within a stretch of a level: what the protocol times inside steps.

A task is recorded when it ends. One that is still under way is not seen. One that the time limit of
its step cut off does not count as failed: its step and its scenario do.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from headcount._engine import Histogram, TaskCount
from headcount.analyse.lateness import Waits
from headcount.analyse.statistics.sections import SECTIONS, is_long_enough
from headcount.analyse.times import quantile_interval_ms, times_of
from headcount.analyse.window import Window
from headcount.bundle.level import TaskResult
from headcount.plan.task_score import TaskScore


@dataclass(frozen=True)
class Tasks:
    """The names of the protocol's tasks, in the engine's order, and how they are scored."""

    names: Sequence[str] = ()
    score: TaskScore | None = None

    def pool(self, window: Window, name: str) -> "TaskPool":
        """The tasks of this name in a window; empty if the protocol has no such task."""
        return TaskPool(window, self.names.index(name) if name in self.names else None)


@dataclass(frozen=True)
class TaskPool:
    """All tasks of one name within a window."""

    window: Window
    index: int | None

    @property
    def _counts(self) -> list[TaskCount]:
        if self.index is None:
            return []
        return [interval.tasks[self.index] for interval in self.window.sums]

    @property
    def completed(self) -> int:
        """How many succeeded."""
        return sum(count.completed for count in self._counts)

    @property
    def failed(self) -> int:
        """How many failed."""
        return sum(count.failed for count in self._counts)

    @property
    def ended(self) -> int:
        """How many ended, successfully or not."""
        return self.completed + self.failed

    @property
    def response(self) -> Histogram:
        """Times of those that succeeded."""
        return Histogram.merge([count.service for count in self._counts])

    def slower(self, limit_us: int) -> tuple[int, int]:
        """How many failed or were slower than the limit, and out of how many."""
        return self.response.count_above(limit_us) + self.failed, self.ended

    def mean_ms(self) -> float | None:
        """The mean time of those that succeeded, from their sum; None if none did."""
        completed = self.completed
        return sum(c.service_s for c in self._counts) * 1000 / completed if completed else None

    def sd_ms(self) -> float | None:
        """The sample standard deviation of those times; None with fewer than two.

        From the sums of the times and of their squares: sqrt((sum(x^2) - sum(x)^2 / n) / (n - 1)).
        """
        completed = self.completed
        if completed < 2:
            return None
        total_ms = sum(count.service_s for count in self._counts) * 1000
        squares = sum(count.squares_ms2 for count in self._counts)
        return math.sqrt(max(squares - total_ms**2 / completed, 0.0) / (completed - 1))


def results(window: Window, tasks: Tasks, waits: Waits | None = None) -> list[TaskResult]:
    """The figures of the tasks that happened; the others are left out, as nothing is known."""
    pools = [(name, tasks.pool(window, name)) for name in tasks.names]
    return [_result(name, pool, waits) for name, pool in pools if pool.ended]


def _result(name: str, pool: TaskPool, waits: Waits | None) -> TaskResult:
    window = pool.window
    parts = window.split(window.seconds / SECTIONS) if is_long_enough(window.seconds) else []
    return TaskResult(
        name=name,
        completed=pool.completed,
        failed=pool.failed,
        per_minute=pool.completed / max(window.seconds, 1e-9) * 60,
        mean_ms=pool.mean_ms(),
        sd_ms=pool.sd_ms(),
        service=times_of(pool.response, waits),
        p95_interval_ms=quantile_interval_ms(
            [TaskPool(part, pool.index).response for part in parts], 0.95
        ),
    )
