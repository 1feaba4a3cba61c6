"""Two turns, one right after the other: which is better, and is one bad for users."""

import math
from collections.abc import Sequence

from headcount.analyse.statistics.student import LogRatio, mean_and_error
from headcount.bundle.level import LevelResult
from headcount.bundle.tuning import Measure, Ratio
from headcount.tune.goal import figure, gain
from headcount.tune.race import CONFIDENCE_OF_CLAIM, LEAST

WORST_ERRORS = 0.01
"""A trial stops if its share of failures exceeds that of the best so far by more than this."""
WORST_P99, LEAST_P99_MS = 3.0, 10.0
"""Factor on the 99th percentile of the best so far, and its least value: nobody feels less."""
MOST_SLOW = 2
"""A trial stops after this many pairs with a 99th percentile beyond that: one may be a hiccup."""


def gain_of(before: LevelResult, after: LevelResult, measure: Measure) -> float | None:
    """The gain of a pair; None if the generator or other programs spoiled one of its turns."""
    if "invalid" in (before.outcome, after.outcome) and (
        before.generator.limited or after.generator.limited
    ):
        return None
    return gain(before, after, measure)


def failures(before: LevelResult, after: LevelResult) -> str | None:
    """Why a challenger is stopped whose scenarios fail more often; None if they do not."""
    failed = [
        one.total.failed / max(one.total.completed + one.total.failed, 1) for one in (before, after)
    ]
    if failed[1] - failed[0] > WORST_ERRORS:
        return f"{failed[1]:.1%} of scenarios failed, {failed[0]:.1%} without it"
    return None


def slowness(before: LevelResult, after: LevelResult) -> str | None:
    """How much longer the slowest response times of a challenger are; None if little."""
    times = [one.total.response for one in (before, after)]
    if times[0] is None or times[1] is None:
        return None
    if times[1].p99_ms > WORST_P99 * max(times[0].p99_ms, LEAST_P99_MS):
        return f"p99 was {times[1].p99_ms:.0f} ms, {times[0].p99_ms:.0f} ms without it"
    return None


def ratio_of(gains: Sequence[float], confidence: float = CONFIDENCE_OF_CLAIM) -> Ratio | None:
    """The ratio of some gains, with an interval from their own spread; None for fewer than two."""
    if len(gains) < LEAST:
        return None
    found = LogRatio(*mean_and_error(gains), len(gains) - 1)
    low, high = found.bounds(confidence)
    return Ratio(value=found.value, low=low, high=high, confidence=confidence, pairs=len(gains))


def mean_figure(levels: Sequence[LevelResult], measure: Measure) -> float | None:
    """The geometric mean of a figure over turns."""
    found = [value for one in levels if (value := figure(one, measure))]
    return math.exp(mean([math.log(value) for value in found])) if found else None


def mean(gains: Sequence[float]) -> float:
    """The mean; 0 if there are none."""
    return sum(gains) / len(gains) if gains else 0.0
