"""Student's t: the interval of a mean of independent values, and the basis of all ratios."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import ndtr, ndtri, stdtr, stdtrit

from headcount.analyse.batches import CONFIDENCE


def quantile(freedom: float, confidence: float = CONFIDENCE) -> float:
    """Standard errors that the two-sided interval reaches; `freedom` may be infinite."""
    share = (1 + confidence) / 2
    return float(ndtri(share) if math.isinf(freedom) else stdtrit(freedom, share))


def p_value(t: float, freedom: float) -> float:
    """Two-sided probability of a t at least this far from 0 if the truth is 0."""
    if math.isnan(t):
        return 1.0
    return float(2 * (ndtr(-abs(t)) if math.isinf(freedom) else stdtr(freedom, -abs(t))))


@dataclass(frozen=True, slots=True)
class LogRatio:
    """A ratio of two figures that are above zero, estimated on the log scale.

    On that scale "twice" and "half" are equally far from "the same", and an error in per cent is
    the same at every size.

    Attributes:
        log: The natural logarithm of the ratio.
        error: Its standard error.
        freedom: Degrees of freedom of the standard error; infinite if it is known.

    """

    log: float
    error: float
    freedom: float

    @property
    def value(self) -> float:
        """The ratio."""
        return math.exp(self.log)

    @property
    def low(self) -> float:
        """Lower end of its 95% interval."""
        return self.bounds()[0]

    @property
    def high(self) -> float:
        """Upper end of its 95% interval."""
        return self.bounds()[1]

    @property
    def p(self) -> float:
        """Two-sided p-value of "the ratio is 1"; 0 if a difference has no spread at all."""
        if self.error == 0:
            return 1.0 if self.log == 0 else 0.0
        return p_value(self.log / self.error, self.freedom)

    def bounds(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Both ends of the interval at a confidence; 0 or infinity beyond the range of a double."""
        half = quantile(self.freedom, confidence) * self.error
        return _exp(self.log - half), _exp(self.log + half)


def _exp(power: float) -> float:
    """The exponential, infinite instead of an overflow."""
    return math.exp(power) if power < 709 else math.inf


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean of two or more independent values and its standard error, s / sqrt(n)."""
    mean = math.fsum(values) / len(values)
    spread = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, math.sqrt(spread / len(values))
