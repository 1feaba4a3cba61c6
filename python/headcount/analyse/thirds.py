"""Whether a stretch of a level is in steady state: whether its three equal thirds agree."""

import math
from collections.abc import Sequence

from headcount._engine import Interval
from headcount.analyse.window import Pool, Window
from headcount.text import share

RATE_SHARE = 0.05
P95_SHARE = 0.15
"""How far apart the thirds' throughputs and p95 may lie, relative to the whole. Our choice: the
rules of the mail benchmarks ask for a steady state and do not define one."""
CHANCE = 4.12
"""Standard errors that three independent values span by chance in one of a hundred cases: Tukey's
studentized range, q(0.99; 3, inf)."""
UNANSWERED = "nothing was answered in a part of it"


def disagreement(intervals: Sequence[Interval]) -> list[str]:
    """Why the stretch is not steady, in words; empty if its thirds agree.

    Differences in throughput that chance explains do not count, however few scenarios there are:
    counts of independent arrivals spread at most like Poisson's, and shares above the p95 of the
    whole like a binomial's.
    """
    length = len(intervals) // 3
    if not length:
        return ["it is shorter than three reports of the engine"]
    last = intervals[-3 * length :]
    thirds = [Window(last[at : at + length], None) for at in (0, length, 2 * length)]
    pools = [third.pool() for third in thirds]
    ended = [pool.completed + pool.failed for pool in pools]
    if not min(ended) or not min(pool.completed for pool in pools):
        return [UNANSWERED]
    rates = [number / third.seconds for number, third in zip(ended, thirds, strict=True)]
    return [*_rates(rates, sum(ended) / 3), *_p95(pools, Window(last, None).pool())]


def _rates(rates: Sequence[float], number: float) -> list[str]:
    apart = (max(rates) - min(rates)) / (sum(rates) / 3)
    if apart <= max(RATE_SHARE, CHANCE / math.sqrt(number)):
        return []
    return [f"the throughputs of its thirds lie {share(apart)} apart"]


def _p95(pools: Sequence[Pool], whole: Pool) -> list[str]:
    p95_us = whole.response.quantile_us(0.95)
    values = [pool.response.quantile_us(0.95) for pool in pools]
    apart = (max(values) - min(values)) / max(p95_us, 1)
    above = [pool.response.count_above(p95_us) / pool.completed for pool in pools]
    chance = CHANCE * math.sqrt(0.05 * 0.95 * 3 / whole.completed)
    if apart <= P95_SHARE or max(above) - min(above) <= chance:
        return []
    return [f"the p95 of its thirds lie {share(apart)} apart"]
