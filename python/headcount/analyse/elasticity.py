"""Whether a resource limits, from what cutting it does: the elasticity of throughput to it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from headcount.analyse.statistics.student import mean_and_error, quantile

LEAST_PAIRS = 5
"""Below, Student's interval is so wide that it shows nothing."""
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
    mean, error = mean_and_error(changes)
    half = quantile(len(changes) - 1) * error
    low, high = mean - half, mean + half
    answer: Answer = "undecided"
    if low > BETWEEN:
        answer = "confirmed"
    elif high < BETWEEN:
        answer = "refuted"
    return Elasticity(mean, low, high, answer)
