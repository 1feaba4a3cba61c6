"""Whether scenarios complete as evenly as a clock ticks.

A rate limit lets exactly the same number through each second. Places that serve scenarios of
varying length complete more in one second than in the next: if their length were exponential, the
variance of the number would be its mean (a Poisson process).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from headcount.analyse.diagnosis.saturation import Saturation
from headcount.analyse.diagnosis.thresholds import threshold

LEAST_SECONDS = 4
"""Fewest seconds: a shorter level shows nothing about variance."""


def is_regular(seen: Saturation, measured: Mapping[int, Sequence[Mapping[str, Any]]]) -> bool:
    """Whether all deciding levels with enough seconds are regular; True also if none has.

    Uses full seconds only: the first and last of a level may be partial.
    """
    found = [
        dispersion(counts)
        for level in seen.levels
        if len(counts := _completed(measured.get(level.index, ()))) >= LEAST_SECONDS
    ]
    return all(each < threshold("regular.dispersion") for each in found)


def dispersion(counts: Sequence[float]) -> float:
    """Variance over mean (index of dispersion): 0 for a clock, 1 for a Poisson process."""
    mean = float(np.mean(counts))
    return float(np.var(counts, ddof=1)) / mean if mean else 0.0


def _completed(seconds: Sequence[Mapping[str, Any]]) -> list[float]:
    return [
        float(sum(one["completed"] for one in second["scenarios"].values()) / second["seconds"])
        for second in seconds
        if second["seconds"] >= 0.9
    ]
