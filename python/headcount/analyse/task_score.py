"""The score of a level: the weighted mean of a percentile of its tasks' times."""

from collections.abc import Mapping
from dataclasses import dataclass

from headcount._engine import Histogram
from headcount.analyse.statistics.sections import SECTIONS, around
from headcount.analyse.tasks import Tasks
from headcount.analyse.window import Window
from headcount.bundle.level import LevelScore

LEAST_IN_SECTION = 20
"""Fewest durations of each task in each section: with fewer, the p95 is the longest of them."""
FEWER_SECTIONS = (SECTIONS, 5, 3)
"""Fewest sections: rare tasks need long ones. Three give Student's t 2 degrees of freedom."""


@dataclass(frozen=True)
class _Weighed:
    """The tasks that count: those that happened, each with its histogram."""

    times: Mapping[str, Histogram]
    weights: Mapping[str, float]
    quantile: float

    @property
    def value_us(self) -> float:
        return weighted_mean(
            {name: times.quantile_us(self.quantile) for name, times in self.times.items()},
            self.weights,
        )


def weighted_mean(values: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """sum(w * x) / sum(w) over the values, of which there must be at least one.

    With the 95th percentiles of the tasks' times it is the score of LoadSim: "weighted average of
    the 95th percentile client response time (ms) of the various tasks. The read task is the highest
    weighted, over half of the score" (LSLOG, as quoted in Compaq's ProLiant 7000 Important
    Information). LoadSim averaged the scores of its client machines; here all users are one client.
    """
    total = sum(weights[name] for name in values)
    return sum(weights[name] * value for name, value in values.items()) / total


def level_score(window: Window, tasks: Tasks) -> LevelScore | None:
    """The score of a level with its interval; None for workloads without one.

    A task that never happened has no time and no weight. One that happened and never succeeded
    leaves the level without a value: failing must not improve a score.
    """
    wanted = tasks.score
    if wanted is None:
        return None
    pools = {name: tasks.pool(window, name) for name in wanted.weights}
    happened = {name: pool for name, pool in pools.items() if pool.ended}
    weights = {name: wanted.weights[name] for name in happened}
    usable = bool(happened) and all(pool.completed for pool in happened.values())
    value, interval = None, None
    if usable:
        whole = _weigh(window, tasks, weights)
        value = whole.value_us / 1000
        interval = _interval(window, tasks, whole)
    return LevelScore(
        name=wanted.name,
        unit=wanted.unit,
        percentile=wanted.percentile,
        value=value,
        interval=interval,
        weights=weights,
        missing=[name for name in wanted.weights if name not in happened],
    )


def _weigh(window: Window, tasks: Tasks, weights: Mapping[str, float]) -> _Weighed:
    percentile = tasks.score.percentile if tasks.score else 95.0
    times = {name: tasks.pool(window, name).response for name in weights}
    return _Weighed(times, weights, percentile / 100)


def _interval(window: Window, tasks: Tasks, whole: _Weighed) -> tuple[float, float] | None:
    """The 95% interval by sectioning (`analyse.statistics.sections`), in ms.

    Each section's score covers all tasks, so an effect that they share counts. None if even thirds
    of the level hold too few of some task.
    """
    for number in FEWER_SECTIONS:
        if window.seconds < 2 * number:
            continue
        parts = [
            _weigh(part, tasks, whole.weights) for part in window.split(window.seconds / number)
        ]
        least = min((each.count for part in parts for each in part.times.values()), default=0)
        if len(parts) >= FEWER_SECTIONS[-1] and least >= LEAST_IN_SECTION:
            low, high = around(whole.value_us, [part.value_us for part in parts])
            return low / 1000, high / 1000
    return None
