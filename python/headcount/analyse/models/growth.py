"""Lines through logarithms: a criterion over users near the knee, a percentile over a mean.

Near the knee a percentile of the response time grows about exponentially with users. Over the last
few levels this extrapolates by a step or two; over a factor of two it is 30% off either way.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Line:
    """y = at + slope (x - centre)."""

    centre: float
    at: float
    slope: float

    def value(self, x: float) -> float:
        """The value of y at x."""
        return self.at + self.slope * (x - self.centre)


def line(
    x: Sequence[float], y: Sequence[float], weights: Sequence[float] | None = None
) -> Line | None:
    """The line of least squares; None where x does not differ."""
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    w = np.ones_like(xs) if weights is None else np.asarray(weights, dtype=np.float64)
    if not len(xs) or w.sum() <= 0:
        return None
    centre = float(w @ xs / w.sum())
    spread = float(w @ (xs - centre) ** 2)
    if spread <= 1e-12 * w.sum() * max(centre * centre, 1e-12):
        return None
    slope = float(w @ ((xs - centre) * ys) / spread)
    return Line(centre, float(w @ ys / w.sum()), slope)
