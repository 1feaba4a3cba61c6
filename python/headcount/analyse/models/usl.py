"""The universal scalability law: how throughput scales with concurrency, CPUs or nodes.

X(n) = g n / (1 + a (n - 1) + b n (n - 1)): `a` is contention, `b` the cost of keeping copies
coherent (Gunther, *Guerrilla Capacity Planning*, 2007). b = 0 is Amdahl's law.

**Not for users who think.** Their throughput follows X = N / (R + Z) and bends sharply where a
resource is full. Fitted below that bend, the law puts the capacity 15 to 100% too high; fitted
across it, its maximum lies far beyond.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

LEAST_POINTS = 3


@dataclass(frozen=True, slots=True)
class Scalability:
    """A fitted law: `gain` is per second with n = 1, `contention` and `coherence` have no unit."""

    gain: float
    contention: float
    coherence: float

    def per_s(self, n: float) -> float:
        """Throughput at concurrency n."""
        a, b = self.contention, self.coherence
        return self.gain * n / (1 + a * (n - 1) + b * n * (n - 1))

    @property
    def peak(self) -> float:
        """The n with the largest throughput; infinite if it never falls."""
        if self.coherence <= 0:
            return math.inf
        return math.sqrt(max(1 - self.contention, 0.0) / self.coherence)


def fit(at_once: Sequence[float], per_s: Sequence[float]) -> Scalability | None:
    """Fit the law by least squares of the relative errors; None with fewer than three points.

    n / X is a polynomial in n with coefficients that must not be negative: 1/g, a/g and b/g, over
    1, n - 1 and n (n - 1). So a non-negative linear fit is exact, whereas an iteration from a guess
    may end elsewhere.
    """
    n, x = np.asarray(at_once, dtype=np.float64), np.asarray(per_s, dtype=np.float64)
    if len(set(at_once)) < LEAST_POINTS or np.any(x <= 0) or np.any(n <= 0):
        return None
    terms = np.column_stack([np.ones_like(n), n - 1, n * (n - 1)])
    weights = x / n  # the relative error of n / X is that of X
    (one, a, b), _ = scipy.optimize.nnls(terms * weights[:, None], np.ones_like(n))
    if one <= 0:
        return None
    return Scalability(gain=1 / one, contention=a / one, coherence=b / one)
