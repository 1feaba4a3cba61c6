"""How sure the mean rate of one long measurement is."""

import math
from collections.abc import Sequence

from scipy.special import stdtrit

CONFIDENCE = 0.95
"""Confidence level of every interval that Headcount shows."""


def standard_error(batches: Sequence[float]) -> float | None:
    """Estimate the standard error of the mean of consecutive batches; None with fewer than three.

    Batch means (Law and Kelton, Simulation Modeling and Analysis, 9.5.3): values within a batch may
    be correlated. Its mean is nearly independent of the next batch's if a batch is long compared
    with the memory of the system.
    """
    if len(batches) < 3:
        return None
    mean = sum(batches) / len(batches)
    spread = sum((value - mean) ** 2 for value in batches) / (len(batches) - 1)
    return math.sqrt(spread / len(batches))


def interval(batches: Sequence[float]) -> tuple[float, float] | None:
    """The 95% confidence interval of the mean of batches, by Student's t; never below 0."""
    error = standard_error(batches)
    if error is None:
        return None
    mean = sum(batches) / len(batches)
    half = float(stdtrit(len(batches) - 1, (1 + CONFIDENCE) / 2)) * error
    return max(mean - half, 0.0), mean + half
