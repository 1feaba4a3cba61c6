"""Whether a resource limits, from what cutting it does: the elasticity of throughput to it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scipy import stats

from headcount.analyse.batches import CONFIDENCE

LEAST_PAIRS = 5
"""Below, Student's interval is so wide that nothing can be told."""
BETWEEN = 0.5
"""A resource that limits has elasticity 1, one that does not has 0: an interval that is wholly
above the middle confirms, one wholly below refutes."""

Answer = Literal["confirmed", "refuted", "undecided"]


@dataclass(frozen=True, slots=True)
class Elasticity:
    """By how much throughput follows a resource.

    Attributes:
        value: ln(cut / whole) of throughput over that of the resource, mean of the pairs.
        low, high: Its 95 % interval, by Student's t over the pairs.
        answer: What that says of the resource as the limit.

    """

    value: float
    low: float
    high: float
    answer: Answer


def elasticity(pairs: Sequence[tuple[float, float]], cut: float) -> Elasticity | None:
    """The elasticity from pairs of rates: with all of the resource, and with the part `cut` of it.

    The pairs must have been measured close together and in changing order, so that what drifts
    meets both alike. None with fewer than LEAST_PAIRS in which both are above zero: a rate of zero
    has no logarithm.
    """
    changes = [math.log(less / whole) / math.log(cut) for whole, less in pairs if whole and less]
    if len(changes) < LEAST_PAIRS:
        return None
    mean = sum(changes) / len(changes)
    spread = sum((change - mean) ** 2 for change in changes) / (len(changes) - 1)
    quantile = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(changes) - 1))
    half = quantile * math.sqrt(spread / len(changes))
    low, high = mean - half, mean + half
    answer: Answer = "undecided"
    if low > BETWEEN:
        answer = "confirmed"
    elif high < BETWEEN:
        answer = "refuted"
    return Elasticity(mean, low, high, answer)
