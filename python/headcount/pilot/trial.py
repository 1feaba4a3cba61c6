"""Whether a module helps, from the server's work alternately with and without it; pure.

A gain is the logarithm of how long a second of work took without the module over how long it took
with it: above zero where it helps.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from headcount.analyse.statistics.student import LogRatio, mean_and_error
from headcount.pilot.work import Work

PAIRS = 6
"""Pairs of a trial, fixed in advance: stopping at a lucky moment would bias the result."""
FEWEST = 5
"""Pairs that must count: in the others the server was idle."""
CONFIDENCE = 0.99
SMALLEST = math.log(1.1)
"""The smallest gain that is worth a change of treatment."""
HARM = math.log(1.25)
"""A loss, over two pairs, that ends a trial."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a trial.

    Attributes:
        helps: Whether the module stays on.
        value: How many times as long a second of work took without it; None without figures.
        low: Lower end of its confidence interval.
        high: Upper end.
        pairs: How many pairs count.

    """

    helps: bool
    value: float | None = None
    low: float | None = None
    high: float | None = None
    pairs: int = 0


def gain(without: Work, with_it: Work) -> float | None:
    """The gain of a pair; None if the server did hardly anything in one of its halves."""
    before, after = without.stretch, with_it.stretch
    return None if before is None or after is None else math.log(before / after)


def is_harmful(gains: Sequence[float]) -> bool:
    """Whether a trial is to end early."""
    return len(gains) >= 2 and sum(gains) / len(gains) < -HARM


def judge(gains: Sequence[float]) -> Verdict:
    """The verdict on pairs that count."""
    if len(gains) < 2:
        return Verdict(helps=False, pairs=len(gains))
    mean, error = mean_and_error(gains)
    ratio = LogRatio(mean, error, len(gains) - 1)
    low, high = ratio.bounds(CONFIDENCE)
    helps = len(gains) >= FEWEST and low > 1 and mean >= SMALLEST
    return Verdict(helps, ratio.value, low, high, len(gains))
