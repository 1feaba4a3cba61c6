"""Quantiles of few values with intervals that assume nothing about their distribution.

The chance that the k-th smallest of n values is below the quantile of a share p is that of at least
k of the n, which is binomial (David and Nagaraja, Order Statistics, 3rd edition, 7.1).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Quantile:
    """An estimate with its interval; None for an end that the few values do not bound."""

    value: float
    low: float | None
    high: float | None


def quantile(values: Sequence[float], share: float, confidence: float = CONFIDENCE) -> Quantile:
    """The quantile of a share; `values` must not be empty.

    Each end of the interval misses with at most half of 1 - `confidence`. The estimate interpolates
    linearly between two values (type 7 of Hyndman and Fan, 1996).
    """
    ordered = sorted(values)
    number = len(ordered)
    place = share * (number - 1)
    under = math.floor(place)
    over = min(under + 1, number - 1)
    part = place - under
    value = ordered[under]
    if part:  # infinite values cannot be multiplied by zero
        value += part * (ordered[over] - ordered[under]) if value != ordered[over] else 0.0
    tail = (1 - confidence) / 2
    below = _at_most(number, share)
    # P(X_(k) > q) = P(at most k - 1 values are below q), P(X_(k) < q) = P(at least k are).
    low = max((k for k in range(1, number + 1) if below[k - 1] <= tail), default=0)
    high = min((k for k in range(1, number + 1) if 1 - below[k - 1] <= tail), default=0)
    return Quantile(value, ordered[low - 1] if low else None, ordered[high - 1] if high else None)


def _at_most(number: int, share: float) -> list[float]:
    """The chance that at most k of `number` values are below the quantile, for each k from 0."""
    found, total = [], 0.0
    for k in range(number + 1):
        total += math.comb(number, k) * share**k * (1 - share) ** (number - k)
        found.append(total)
    return found
