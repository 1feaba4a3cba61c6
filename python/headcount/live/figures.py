"""Minimum, mean, maximum and last value of a counter over the time that is shown."""

import math
from dataclasses import dataclass

import numpy as np

from headcount.live.history import Trace


@dataclass(frozen=True, slots=True)
class Figures:
    """One counter over a window, in its own unit.

    Attributes:
        last: The latest value, which may be older than the window's end.
        mean: Weighted by the time that each sample covers, so that the mean of a rate is the count
            over the time. A sample after a gap counts as much as the median one.

    """

    last: float
    minimum: float
    mean: float
    maximum: float
    samples: int


def figures(trace: Trace) -> Figures | None:
    """The figures of a trace; None if it has no value."""
    known = np.isfinite(trace.values)
    if not known.any():
        return None
    values = trace.values[known]
    covers_s = np.diff(trace.at_s, prepend=math.nan)
    covers_s[~trace.joined] = np.nan
    usual_s = float(np.nanmedian(covers_s)) if np.isfinite(covers_s).any() else 1.0
    covers_s = np.where(np.isfinite(covers_s) & (covers_s > 0), covers_s, usual_s)
    return Figures(
        last=float(values[-1]),
        minimum=float(values.min()),
        mean=float(np.average(values, weights=covers_s[known])),
        maximum=float(values.max()),
        samples=len(values),
    )
