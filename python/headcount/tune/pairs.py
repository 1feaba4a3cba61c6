"""Two turns, one right after the other: which is better, and is one bad for users."""

import math
from collections.abc import Mapping, Sequence

from headcount.analyse.statistics.student import LogRatio, mean_and_error
from headcount.bundle.level import LevelResult
from headcount.bundle.tuning import Measure, Pair, Ratio, Stayed
from headcount.tune.goal import figure, gain
from headcount.tune.race import CONFIDENCE_OF_CLAIM, FEWEST_TO_WIN, LEAST

WORST_ERRORS, WORST_ERRORS_AT_ONCE = 0.01, 0.1
"""A trial stops if its share of failures exceeds that of the best so far by more than this: after
`SURE` pairs, and after one. With more users than a server holds, a few wait too long by chance."""
WORST_P99, LEAST_P99_MS = 3.0, 10.0
"""Factor on the 99th percentile of the best so far, and its least value: nobody feels less."""
MOST_LOST = 0.01
"""Share of scenarios without an answer, above which there is no 99th percentile of them all."""
SURE, SURE_SCENARIOS = 2, 500
"""Pairs after which a trial with a 99th percentile beyond that stops, and the scenarios without the
change that they need: with fewer, the slowest 1% are a few hiccups, and it takes the pairs that a
change needs to win."""
TurnPair = tuple[LevelResult, LevelResult]
"""The best so far, and a challenger."""
_STAYED: Mapping[tuple[bool, bool], Stayed] = {(False, True): 1, (True, False): -1}


def gain_of(before: LevelResult, after: LevelResult, measure: Measure) -> float | None:
    """The gain of a pair; None if the generator or other programs spoiled one of its turns.

    A spoiled turn looks worse than it is. If it is the better one all the same, the gain is at
    least what was measured, and counts.
    """
    found = gain(before, after, measure)
    spoiled = [one for one in (before, after) if is_spoiled(one)]
    if found is None or not spoiled:
        return found
    better = after if found > 0 else before
    return found if measure != "cpu" and spoiled == [better] else None


def is_spoiled(turn: LevelResult) -> bool:
    """Whether the load generator, or other programs on its machine, may have been the limit."""
    return turn.outcome == "invalid" and turn.generator.limited


def paired(turns: TurnPair, measure: Measure) -> Pair:
    """The record of a pair, with its gain as measured."""
    before, after = turns
    return Pair(
        incumbent=before.index,
        challenger=after.index,
        users=before.users,
        stayed=_STAYED.get((before.ramp_s == 0, after.ramp_s == 0), 0),
        log_gain=gain_of(before, after, measure),
    )


def failures(pairs: Sequence[TurnPair]) -> str | None:
    """Why a challenger is stopped whose scenarios fail more often; None if they do not.

    A server that is full can leave users without any answer, which is no failure yet. If a change
    gives at least as many more of them an answer, some may fail.
    """
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    before, after = map(_failed, sides)
    lost_before, lost_after = map(_lost, sides)
    most = WORST_ERRORS if len(pairs) >= SURE else WORST_ERRORS_AT_ONCE
    if after - before > max(most, lost_before - lost_after):
        return f"{after:.1%} of scenarios failed, {before:.1%} without it"
    return None


def _failed(turns: Sequence[LevelResult]) -> float:
    """The share of their scenarios that failed."""
    failed = sum(one.total.failed for one in turns)
    return failed / max(failed + sum(one.total.completed for one in turns), 1)


def slowness(pairs: Sequence[TurnPair]) -> str | None:
    """Why a challenger is stopped whose slowest scenarios take much longer; None if they do not.

    The best so far has no such percentile if more than 1% of its scenarios get no answer or fail.
    """
    if _lost([before for before, _ in pairs]) > MOST_LOST:
        return None
    times = [
        (before.total.response.p99_ms, after.total.response.p99_ms)
        for before, after in pairs
        if before.total.response is not None and after.total.response is not None
    ]
    scenarios = sum(before.total.completed for before, _ in pairs)
    if len(times) < (SURE if scenarios >= SURE_SCENARIOS else FEWEST_TO_WIN):
        return None
    before, after = (
        math.exp(mean([math.log(max(one[side], 1e-3)) for one in times])) for side in (0, 1)
    )
    if after > WORST_P99 * max(before, LEAST_P99_MS):
        return f"p99 was {after:.0f} ms, {before:.0f} ms without it"
    return None


def _lost(turns: Sequence[LevelResult]) -> float:
    """The share of their scenarios that failed, or took too long and had not ended."""
    lost = sum(one.total.failed + one.total.unanswered for one in turns)
    return lost / max(lost + sum(one.total.completed for one in turns), 1)


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
