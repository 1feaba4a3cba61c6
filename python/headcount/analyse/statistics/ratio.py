"""The ratio of two figures that were measured separately, each with its own interval."""

import math
from dataclasses import dataclass

from headcount.analyse.statistics.samples import satterthwaite
from headcount.analyse.statistics.student import quantile


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure above zero with its 95% interval.

    Attributes:
        value: The figure, in any unit.
        low, high: Its interval; `low` may be 0 and `high` infinite.
        freedom: Degrees of freedom of the standard error behind it; infinite if unknown. That is
            safe: the error derived from the interval then comes out too large, never too small.

    """

    value: float
    low: float
    high: float
    freedom: float = math.inf


@dataclass(frozen=True, slots=True)
class Quotient:
    """A ratio with its 95% interval, which need not be symmetric on any scale.

    Attributes:
        value: The ratio.
        low, high: Its interval.
        freedom: Degrees of freedom that were used.

    """

    value: float
    low: float
    high: float
    freedom: float

    @property
    def differs(self) -> bool:
        """Whether the interval excludes 1."""
        return self.low > 1 or self.high < 1


def quotient(over: Measured, under: Measured) -> Quotient | None:
    """The ratio over / under of two independent figures, with its interval.

    The standard errors of the logarithms add in quadrature. Each end of the interval comes from the
    ends it depends on, so skewed intervals stay skewed (MOVER: Zou and Donner, Construction of
    confidence limits about effect measures, Statistics in Medicine 27, 2008). With symmetric
    intervals this is se = sqrt(se1^2 + se2^2), with Satterthwaite's degrees of freedom.

    Assumes that the two were measured independently and that nothing they share drifted in between.
    None if a figure is not above zero or not within its interval.
    """
    if not (_sound(over) and _sound(under)):
        return None
    log = math.log(over.value / under.value)
    (down, freedom_low) = _reach(_below(over), over.freedom, _above(under), under.freedom)
    (up, freedom_high) = _reach(_above(over), over.freedom, _below(under), under.freedom)
    low = math.exp(log - down) if math.isfinite(down) else 0.0
    high = math.exp(log + up) if math.isfinite(up) else math.inf
    return Quotient(over.value / under.value, low, high, min(freedom_low, freedom_high))


def _sound(figure: Measured) -> bool:
    inside = 0 <= figure.low <= figure.value <= figure.high
    return inside and 0 < figure.value < math.inf


def _below(figure: Measured) -> float:
    return math.log(figure.value / figure.low) if figure.low > 0 else math.inf


def _above(figure: Measured) -> float:
    return math.log(figure.high / figure.value) if math.isfinite(figure.high) else math.inf


def _reach(a: float, freedom_a: float, b: float, freedom_b: float) -> tuple[float, float]:
    """Half-width of the sum of two figures with half-widths a and b, and its degrees of freedom."""
    if math.isinf(a) or math.isinf(b):
        return math.inf, min(freedom_a, freedom_b)
    error_a, error_b = a / quantile(freedom_a), b / quantile(freedom_b)
    freedom = satterthwaite((error_a, freedom_a), (error_b, freedom_b))
    return quantile(freedom) * math.hypot(error_a, error_b), freedom
