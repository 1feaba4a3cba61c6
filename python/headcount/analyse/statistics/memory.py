"""How long a server's memory is: over how many values a series stays correlated with itself."""

import math
from collections.abc import Sequence

SHORTEST = 15.0
"""Memories that a section must last. With fewer, intervals that claim 95% hold the truth in 35 to
89% of simulated levels; docs/statistics.md has the table."""
SIGNIFICANT = 1.645
"""Standard errors that show correlated neighbours: one in 20 independent series has as much."""
FEWEST = 20
"""Fewest values: with fewer, a correlation says nothing."""


def autocorrelation(values: Sequence[float], lag: int = 1) -> float:
    """The correlation of a series with itself `lag` values later, -1 to 1; 0 if it is constant.

    Box, Jenkins, Reinsel and Ljung, Time Series Analysis, 5th ed., 2015, 2.1.5. Its standard error
    is about 1 / sqrt(n) for independent values, so with the means of ten sections it says little.
    """
    mean = math.fsum(values) / len(values)
    away = [value - mean for value in values]
    squares = math.fsum(value * value for value in away)
    if squares <= 0 or lag >= len(values):
        return 0.0
    return math.fsum(a * b for a, b in zip(away, away[lag:], strict=False)) / squares


def memory(values: Sequence[float]) -> float:
    """Integrated autocorrelation time in steps of the series; at least 1.

    n values tell as much about their mean as n / memory independent ones. Geyer's initial monotone
    sequence (Practical Markov chain Monte Carlo, Statistical Science 7, 1992): sums of neighbouring
    autocorrelations as long as they stay above zero, never rising. A series that is itself only a
    few memories long gives too small a value.
    """
    total, last = -1.0, math.inf
    for lag in range(0, len(values) // 2 - 1, 2):
        pair = autocorrelation(values, lag) + autocorrelation(values, lag + 1)
        if pair <= 0:
            break
        last = min(pair, last)
        total += 2 * last
    return max(total, 1.0)


def is_too_short(values: Sequence[float], section: float) -> bool:
    """Whether sections of this many values are too short for an interval that holds what it claims.

    They are if neighbouring values are significantly correlated and the section does not last
    fifteen memories. False with fewer than 20 values, which are too few. An error of the first kind
    occurs in at most one of 20 levels; a memory longer than the level is not observed.
    """
    if len(values) < FEWEST:
        return False
    alike = autocorrelation(values) * math.sqrt(len(values)) > SIGNIFICANT
    return alike and section < SHORTEST * memory(values)
