"""The criterion behind a capacity, and its value at each level as a share of its limit."""

import math
from collections.abc import Mapping, Sequence

from headcount.bundle.level import LevelResult, ScenarioResult, Times
from headcount.bundle.reader import Bundle
from headcount.errors import InputError
from headcount.fields.units import seconds
from headcount.plan import criteria
from headcount.plan.criteria import Criterion

PERCENTILES = {50.0: "p50_ms", 90.0: "p90_ms", 95.0: "p95_ms", 99.0: "p99_ms", 99.9: "p999_ms"}
"""Metrics that levels measure for every scenario."""


def chosen_criterion(bundle: Bundle, text: str | None) -> Criterion:
    """The criterion asked for, else the one that set the capacity, else the first one on times.

    Raises InputError if none can be predicted: no queue predicts errors, marks or scores.
    """
    if text is not None:
        found = criteria.parse(text)
        _check(found)
        return found
    written = bundle.plan.workload.criteria
    capacity = bundle.verdict.capacity if bundle.verdict is not None else None
    if capacity is not None and capacity.binding in written:
        written = [capacity.binding, *written]
    for each in written:
        found = criteria.parse(each)
        if _is_predictable(found):
            return found
    raise InputError(
        f"the run's criteria ({', '.join(written)}) say nothing of response times, and only those "
        'follow from queues; say which to predict with: --criteria "p95<=500ms"'
    )


def values(found: Criterion, bundle: Bundle) -> dict[int, float]:
    """The criterion's value over its limit, by level: 1 is at the limit, absent is not measured."""
    limits = {
        scenario.name: seconds(scenario.limit, "a limit") * 1000
        for scenario in bundle.plan.workload.scenarios
    }
    texts = {}
    for level in bundle.levels:
        value = _value(found, level, limits)
        if value is not None and value > 0 and math.isfinite(value):
            texts[level.index] = value
    return texts


def _is_predictable(found: Criterion) -> bool:
    if found.metric == "percentile":
        return found.percentile in PERCENTILES
    return found.metric == "mean" or (found.metric == "overload" and _tail(found) is not None)


def _check(found: Criterion) -> None:
    if not _is_predictable(found):
        raise InputError(
            f"{found.text} cannot be predicted; predictable are the mean, the percentiles "
            f"{', '.join(f'p{p:g}' for p in PERCENTILES)}, and an overload below 50, 10, 5, 1 or "
            "0.1%"
        )


def _tail(found: Criterion) -> float | None:
    """The percentile that corresponds to an allowed share of overload."""
    percentile = round(100 * (1 - found.limit), 6)
    return percentile if percentile in PERCENTILES else None


def _value(found: Criterion, level: LevelResult, limits: Mapping[str, float]) -> float | None:
    judged = next((c for c in level.criteria if c.criterion == found.text), None)
    if judged is not None and judged.value is not None and judged.unit == "ms" and judged.limit:
        return judged.value / judged.limit
    if found.metric == "overload":
        percentile = _tail(found)
        if percentile is None:
            return None
        # With limits per scenario, the scenario nearest to its limit counts.
        each = [
            _time(scenario.response, percentile) / limits[scenario.name]
            for scenario in _named(level, found.scenario)
            if scenario.response is not None and limits.get(scenario.name)
        ]
        return max(each, default=None)
    of = [level.total] if found.scenario is None else _named(level, found.scenario)
    if not of or of[0].response is None:
        return None
    if found.metric == "mean":
        mean = of[0].mean_ms if of[0].mean_ms is not None else of[0].response.mean_ms
        return mean / (found.limit * 1000)
    return _time(of[0].response, found.percentile or 95.0) / (found.limit * 1000)


def _named(level: LevelResult, name: str | None) -> Sequence[ScenarioResult]:
    everything = [*level.scenarios, *level.groups]
    return level.scenarios if name is None else [s for s in everything if s.name == name]


def _time(times: Times, percentile: float) -> float:
    return float(getattr(times, PERCENTILES[percentile]))
