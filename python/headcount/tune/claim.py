"""The ratio that is claimed, from the pairs of the proof; pure.

Student's interval is for logarithms that scatter evenly around their mean. They do not where the
server serves most users in one turn and hardly any in the next. Then the order of the pairs still
tells: the median lies between two of them with a known probability, however they scatter (W. R.
Thompson, On confidence ranges for the median, Annals of Mathematical Statistics 7, 1936).
"""

import math
from collections.abc import Sequence

from headcount.analyse.statistics.order import quantile
from headcount.bundle.tuning import Measure, Pair, Ratio
from headcount.tune.pairs import TurnPair, is_spoiled, ratio_of
from headcount.tune.race import CONFIDENCE_OF_CLAIM

FEWEST = 4
"""Pairs that count, for Student's interval."""
FEWEST_IN_ORDER = 8
"""Pairs that prove a gain by their order alone, if the change is better in all of them."""


def claimed(turns: Sequence[TurnPair], pairs: Sequence[Pair], measure: Measure) -> Ratio | None:
    """The ratio of the pairs, with its interval; None with too few that count.

    That of their mean; that of their median if it alone excludes "no gain".
    """
    counted = [one.log_gain for one in pairs if one.log_gain is not None]
    by_mean = ratio_of(counted) if len(counted) >= FEWEST else None
    if by_mean is not None and by_mean.low > 1:
        return by_mean
    by_median = median_ratio(known_gains(turns, pairs, measure))
    return by_median if by_median is not None and by_median.low > 1 else by_mean


def may_show_by_order(turns: Sequence[TurnPair], pairs: Sequence[Pair], measure: Measure) -> bool:
    """Whether a few more pairs may prove a gain by their order alone."""
    found = known_gains(turns, pairs, measure)
    return len(found) < FEWEST_IN_ORDER and all(gain > 0 for gain in found)


def known_gains(turns: Sequence[TurnPair], pairs: Sequence[Pair], measure: Measure) -> list[float]:
    """Gains of the pairs, also of those in which one side served nobody: at least its gain.

    A rate that is nothing in a turn is less than that of a single scenario.
    """
    found = []
    for (before, after), one in zip(turns, pairs, strict=True):
        if one.log_gain is not None:
            found.append(one.log_gain)
            continue
        completed = before.total.completed, after.total.completed
        if measure == "rate" and any(completed) and not (is_spoiled(before) or is_spoiled(after)):
            old, new = (max(number, 1) for number in completed)
            found.append(math.log(new / old))
    return found


def median_ratio(gains: Sequence[float], confidence: float = CONFIDENCE_OF_CLAIM) -> Ratio | None:
    """The median ratio, with an interval from the order of the pairs; None with too few."""
    if not gains:
        return None
    found = quantile(gains, 0.5, confidence)
    if found.low is None or found.high is None:
        return None
    return Ratio(
        value=math.exp(found.value),
        low=math.exp(found.low),
        high=math.exp(found.high),
        confidence=confidence,
        pairs=len(gains),
    )
