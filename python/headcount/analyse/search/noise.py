"""Noise that the method cannot cover: slower than a level, or heavier than its spread shows.

The thresholds separate the simulated servers. Single minutes of the four quiet ones locate the
capacity with a standard deviation of 0.6-2.9% (99 in 100 searches see less than 3.3%); those of the
one whose speed drifts by 10% in 20 s, with 10%.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from headcount.analyse.search.bracket import WINDOW
from headcount.analyse.search.estimate import Estimate
from headcount.analyse.search.observation import Observation, Share

SPREAD_MOST = 0.037
"""Spread of runs, scaled to one minute, in ln(users), beyond which a server is noisy."""

SPREAD_DOUBTFUL = 0.025
CORRELATION_MOST = 0.35
"""A smaller spread is also noise if the batches of the runs are correlated this much."""

RUNS_LEAST = 5


def noisy(estimate: Estimate, observations: Sequence[Observation]) -> bool:
    """Whether the runs disagree so much that the interval may be too narrow."""
    fit = estimate.fit
    if fit is None or fit.runs < RUNS_LEAST:
        return False
    near = [o for o in observations if abs(math.log(o.users) - fit.root) <= WINDOW]
    if not near:
        return False
    seconds = sorted(o.measure_s for o in near)[len(near) // 2]
    spread = fit.spread * math.sqrt(seconds / 60.0)
    if spread > SPREAD_MOST:
        return True
    return spread > SPREAD_DOUBTFUL and correlation(near, estimate.name) > CORRELATION_MOST


def correlation(observations: Sequence[Observation], name: str) -> float:
    """Lag-1 autocorrelation of the bad counts of consecutive batches, pooled over the levels.

    0 if no level of the constraint ``name`` has batches.
    """
    products = squares = 0.0
    for observation in observations:
        for constraint in observation.constraints:
            if not isinstance(constraint, Share) or constraint.name != name:
                continue
            share = constraint.share
            excess = [bad - share * total for bad, total in constraint.batches]
            products += sum(a * b for a, b in pairwise(excess))
            squares += sum(a * a for a in excess)
    return products / squares if squares else 0.0
