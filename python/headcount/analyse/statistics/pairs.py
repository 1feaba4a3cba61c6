"""Two configurations measured in pairs of runs: the ratio of a figure, and how many pairs it takes.

A pair is one run of each side, close together in time and in changing order (ABBA, or drawn by
lot): drift affects both sides alike and cancels in the logarithm of their ratio. Order AAAABBBB
pairs nothing: with a drift of 5% it "finds" a difference two times out of three.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import nctdtr, stdtrit

from headcount.analyse.batches import CONFIDENCE
from headcount.analyse.statistics.shift import Shift, of_pairs
from headcount.analyse.statistics.student import LogRatio, mean_and_error

FEW = 4
"""With fewer pairs, the interval rests on the assumption of normal ratios: indicative only."""
POWER = 0.8
"""Chance to detect a real difference, as sample sizes are usually planned."""
MOST = 10_000
"""Most pairs: a plan with more is not practical."""


@dataclass(frozen=True, slots=True)
class Paired:
    """What pairs of runs show about the ratio second / first.

    Attributes:
        ratio: exp(mean of the log ratios), with the interval by Student's t.
        shift: The Hodges-Lehmann estimate, as ratios: for log ratios with outliers. None with
            fewer than six pairs.
        pairs: How many.
        spread: Standard deviation of the log ratio of one pair.
        indicative: Whether there are too few pairs to check the interval by ranks at all.

    """

    ratio: LogRatio
    shift: Shift | None
    pairs: int
    spread: float
    indicative: bool


def compare(pairs: Sequence[tuple[float, float]]) -> Paired | None:
    """The ratio second / first over pairs of (first, second), each a figure of one run.

    The mean of the log ratios with Student's t (Student, Biometrika 6, 1908), and the
    Hodges-Lehmann estimate of the Walsh averages. Assumes pairs that are independent of each other;
    runs within a pair may be correlated. None with fewer than two pairs, or with a figure that is
    not above zero: it has no logarithm, and leaving out that pair would be a choice.
    """
    if len(pairs) < 2 or not all(_positive(a) and _positive(b) for a, b in pairs):
        return None
    logs = [math.log(second / first) for first, second in pairs]
    mean, error = mean_and_error(logs)
    found = of_pairs(logs)
    shift = found and Shift(
        math.exp(found.value), math.exp(found.low), math.exp(found.high), found.confidence
    )
    return Paired(
        ratio=LogRatio(mean, error, len(logs) - 1),
        shift=shift,
        pairs=len(logs),
        spread=error * math.sqrt(len(logs)),
        indicative=len(logs) <= FEW,
    )


def power(count: int, spread: float, ratio: float, confidence: float = CONFIDENCE) -> float:
    """The chance that `count` pairs show a true ratio at a confidence, in either direction.

    By the non-central t distribution (Cohen, Statistical Power Analysis for the Behavioral
    Sciences, 1988, 2.3). `spread` is the standard deviation of the log ratio of one pair.
    """
    if count < 2:
        return 0.0
    freedom = count - 1
    limit = float(stdtrit(freedom, (1 + confidence) / 2))
    away = abs(math.log(ratio)) * math.sqrt(count) / spread
    if away > limit + 30:
        return 1.0  # here the distribution function no longer has a value
    wrong_way = float(nctdtr(freedom, away, -limit))
    return 1 - float(nctdtr(freedom, away, limit)) + (0.0 if math.isnan(wrong_way) else wrong_way)


def pairs_needed(spread: float, ratio: float, chance: float = POWER) -> int | None:
    """How many pairs show a true ratio with a given chance; None if it takes over 10,000.

    At least two. `spread` is as in `Paired.spread`, best taken from an earlier comparison.
    """
    if ratio <= 0 or ratio == 1:
        return None
    if spread <= 0:
        return 2
    low, high = 1, 2
    while power(high, spread, ratio) < chance:
        low, high = high, high * 2
        if low > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if power(middle, spread, ratio) < chance:
            low = middle
        else:
            high = middle
    return high if high <= MOST else None


def _positive(value: float) -> bool:
    return math.isfinite(value) and value > 0
