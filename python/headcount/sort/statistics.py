"""Repeated times: their mean with its interval, and whether two of them differ."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import stdtrit

NOISE_SHARE = 0.005
"""Differences below it are noise, however often they are repeated: the ten best times of the paper
lie that close together, and its own repetitions differ by as much (S-11)."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95% confidence interval; no interval from a single measurement."""

    value: float
    low: float | None
    high: float | None


def middle(times_s: Sequence[float]) -> Estimate:
    """The geometric mean of times, in s.

    The interval is Student's, of the logarithms: times are disturbed by factors rather than by
    seconds. Assumes that repetitions are independent.
    """
    return _estimate([math.log(value) for value in times_s], comparisons=1)


def ratio(before_s: Sequence[float], after_s: Sequence[float], comparisons: int = 1) -> Estimate:
    """The times after as a multiple of the times before, in pairs of the same rounds.

    Pairs of one round share what disturbed it. With several comparisons at a time the interval is
    widened so that 95% holds for all of them together (Bonferroni).
    """
    pairs = zip(before_s, after_s, strict=True)
    return _estimate([math.log(after / before) for before, after in pairs], comparisons)


def saved_share(before_s: Sequence[float], after_s: Sequence[float]) -> Estimate:
    """Share of the time saved (S-08), from pairs of the same rounds; negative if slower."""
    found = ratio(before_s, after_s)
    return Estimate(
        1 - found.value,
        None if found.high is None else 1 - found.high,
        None if found.low is None else 1 - found.low,
    )


def differs(found: Estimate) -> bool:
    """Whether a ratio is a difference and not noise: significant, and large enough to matter."""
    if found.low is None or found.high is None or found.low <= 1 <= found.high:
        return False
    return abs(found.value - 1) >= NOISE_SHARE


def _estimate(logs: Sequence[float], comparisons: int) -> Estimate:
    mean = sum(logs) / len(logs)
    if len(logs) < 2:
        return Estimate(math.exp(mean), None, None)
    spread = sum((value - mean) ** 2 for value in logs) / (len(logs) - 1)
    quantile = float(stdtrit(len(logs) - 1, 1 - 0.025 / comparisons))
    half = quantile * math.sqrt(spread / len(logs))
    return Estimate(math.exp(mean), math.exp(mean - half), math.exp(mean + half))
