"""Whether a ratio changed between two versions by more than it varies from round to round.

Rounds of either version are taken as independent draws from one distribution each, which differ in
where they lie. The estimate of the shift of their logarithms is the median of all differences
between a round of one and a round of the other (Hodges and Lehmann, Annals of Mathematical
Statistics 34, 1963). Its interval is Moses' (Hollander, Wolfe and Chicken, Nonparametric
Statistical Methods, 3rd edition 2014, section 4.3): between the k-th smallest and the k-th greatest
of those differences, where k follows from the exact distribution of the Wilcoxon-Mann-Whitney
statistic. It assumes no distribution: without a change, an interval leaves out zero in at most 5%
of all cases, whatever the noise is. With five rounds each it does in 3.2%.

What differs between two runs but not between the rounds of one (a neighbour of the virtual machine,
a layout of memory) is not in that noise. That is why what is worse is measured again before it
counts.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

CONFIDENCE = 0.95
LEAST_ROUNDS = 4
"""Of each: with three, one order of all in ten is the most extreme."""

Verdict = Literal["better", "worse", "no change", "too few rounds"]


@dataclass(frozen=True)
class Change:
    """How much a ratio changed: shares of the old one, with their interval. Above 0 is worse."""

    verdict: Verdict
    estimate: float = math.nan
    low: float = math.nan
    high: float = math.nan

    @property
    def text(self) -> str:
        """The verdict in words, with its interval where there is one."""
        if self.verdict == "too few rounds":
            return f"too few rounds: {LEAST_ROUNDS} of each are needed"
        if self.verdict == "no change":
            return f"no change ({self.low:+.1%} to {self.high:+.1%})"
        ends = sorted((abs(self.low), abs(self.high)))
        return f"{abs(self.estimate):.1%} {self.verdict} ({ends[0]:.1%} to {ends[1]:.1%})"


def change(before: Sequence[float], after: Sequence[float]) -> Change:
    """How much `after` is above `before`, both ratios of which small is good."""
    rank = interval_rank(len(before), len(after))
    if rank is None:
        return Change("too few rounds")
    shifts = sorted(math.log(new / old) for new in after for old in before)
    low, high = shifts[rank - 1], shifts[-rank]
    verdict: Verdict = "worse" if low > 0 else "better" if high < 0 else "no change"
    middle = statistics.median(shifts)
    return Change(verdict, math.expm1(middle), math.expm1(low), math.expm1(high))


def interval_rank(before: int, after: int) -> int | None:
    """Which of the ordered differences ends the interval, counted from 1; None with too few."""
    most = (1 - CONFIDENCE) / 2 * math.comb(before + after, before)
    below, rank = 0, 0
    while (below := below + _orders(before, after, rank)) <= most:
        rank += 1
    return rank or None


@cache
def _orders(before: int, after: int, wins: int) -> int:
    """In how many orders of all values `wins` pairs have the one from `after` below.

    The greatest of all is from `before`, and wins against all of `after`, or from `after`.
    """
    if wins < 0:
        return 0
    if before == 0 or after == 0:
        return int(wins == 0)
    return _orders(before - 1, after, wins - after) + _orders(before, after - 1, wins)
