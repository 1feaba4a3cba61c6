"""Scores of re-created benchmarks over the levels of a ladder."""

from collections.abc import Sequence

from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Score
from headcount.plan.workload import Score as ScorePlan


def harmonic_mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """The weighted harmonic mean, sum(w) / sum(w / x); zero as soon as one value is.

    ServerBench's definition of a server's score over its test mixes (IBM PC Server 330 report).
    """
    if any(value <= 0 for value in values) or not values:
        return 0.0
    return sum(weights) / sum(weight / value for weight, value in zip(weights, values, strict=True))


def score_of(plan: ScorePlan, levels: Sequence[LevelResult]) -> Score:
    """The score over the levels of a finished ladder; as many as there are weights, if any."""
    weights = [1.0] * len(levels) if plan.weights is None else plan.weights
    rates = [level.achieved_per_s for level in levels]
    zero = next((level.users for level in levels if level.achieved_per_s <= 0), None)
    return Score(
        name=plan.name,
        value=harmonic_mean(rates, weights),
        unit=plan.unit,
        formula="sum(w) / sum(w / x) over the levels' throughputs x",
        zero_level=zero,
    )
