"""Scores of re-created benchmarks over the levels of a ladder."""

from collections.abc import Sequence

from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Score
from headcount.plan.workload import Score as ScorePlan
from headcount.text import plural, significant


def harmonic_mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """The weighted harmonic mean, sum(w) / sum(w / x); zero if any value is zero.

    ServerBench's definition of a server's score over its test mixes (IBM PC Server 330 report).
    """
    if any(value <= 0 for value in values) or not values:
        return 0.0
    return sum(weights) / sum(weight / value for weight, value in zip(weights, values, strict=True))


KB_BYTES = 1024
"""Bytes of a KB, as file servers were measured in 1997."""


def busiest(levels: Sequence[LevelResult]) -> LevelResult:
    """The level that moved the most bytes; of several, the one with the fewest users."""
    return max(levels, key=lambda level: (moved_bytes_per_s(level), -level.users))


def moved_bytes_per_s(level: LevelResult) -> float:
    """Bytes of payload read and written per second."""
    return level.total.read_bytes_per_s + level.total.written_bytes_per_s


def _most(plan: ScorePlan, levels: Sequence[LevelResult]) -> Score:
    best = busiest(levels)
    moved = moved_bytes_per_s(best)
    return Score(
        name=plan.name,
        value=moved / KB_BYTES,
        unit=plan.unit,
        formula=f"bytes read and written per second / {KB_BYTES:,}, of the level with the most, "
        f"that of {plural('user', best.users)}: {significant(moved * 8 / 1e6)} Mbit/s",
        zero_level=None,
    )


def score_of(plan: ScorePlan, levels: Sequence[LevelResult]) -> Score:
    """The score over the levels of a finished ladder; with weights, it needs a level for each."""
    if plan.kind == "most-kb-per-s":
        return _most(plan, levels)
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
