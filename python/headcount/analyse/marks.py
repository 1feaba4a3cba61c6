"""What a workload counts, completed per minute."""

from collections.abc import Sequence

from headcount.analyse.statistics.sections import SECTIONS
from headcount.analyse.tasks import Tasks
from headcount.analyse.times import RATE_S, rate_interval
from headcount.analyse.window import Window
from headcount.bundle.level import LevelMarks
from headcount.plan.marks import Marks


def level_marks(
    plan: Marks | None, window: Window, scenarios: Sequence[str], tasks: Tasks
) -> LevelMarks | None:
    """The marks of a level with their interval; None for workloads that count nothing."""
    if plan is None:
        return None
    counted = list(scenarios) if plan.count is None else plan.count
    parts = window.split(max(window.seconds / SECTIONS, RATE_S))
    interval = rate_interval(
        [(_completed(part, counted, scenarios, tasks), part.seconds / 60) for part in parts]
    )
    total = _completed(window, counted, scenarios, tasks)
    return LevelMarks(
        name=plan.name,
        count=counted,
        per_minute=total / max(window.seconds, 1e-9) * 60,
        interval_per_minute=interval,
    )


def _completed(
    window: Window, counted: Sequence[str], scenarios: Sequence[str], tasks: Tasks
) -> int:
    return sum(
        window.pool(scenarios.index(name)).completed
        if name in scenarios
        else tasks.pool(window, name).completed
        for name in counted
    )
