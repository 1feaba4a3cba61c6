"""Whether a resource limits, from what cutting it does: the elasticity of throughput to it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from headcount.analyse.statistics.student import mean_and_error, quantile

LEAST_PAIRS = 5
"""Fewest pairs: with fewer, Student's interval is too wide to show anything."""
BETWEEN = 0.5
"""A resource that limits has elasticity 1, one that does not has 0. An interval wholly above this
middle confirms, one wholly below refutes."""

Answer = Literal["confirmed", "refuted", "undecided"]


@dataclass(frozen=True, slots=True)
class Elasticity:
    """How far throughput follows a resource.

    Attributes:
        value: Mean over the pairs of ln(cut / whole) of throughput over that of the resource.
        low, high: Its 95% interval, by Student's t over the pairs.
        answer: Whether it confirms the resource as the limit.

    """

    value: float
    low: float
    high: float
    answer: Answer


def elasticity(pairs: Sequence[tuple[float, float]], cut: float) -> Elasticity | None:
    """The elasticity from pairs of rates: with all of the resource, and with the part `cut` of it.

    Measure the pairs close together and in alternating order, so that drift affects both sides
    alike. None with fewer than LEAST_PAIRS in which both rates are above zero: zero has no
    logarithm.
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
