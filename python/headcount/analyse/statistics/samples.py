"""Two independent groups of runs: the ratio of a figure if runs were not paired.

Use pairs where you can: everything that changed in the meantime lies between two groups. Each value
is the figure of one run, never of a request.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import fdtr

from headcount.analyse.statistics.shift import Shift, between
from headcount.analyse.statistics.student import LogRatio, mean_and_error

SPREADS_P = 0.01
"""p-value below which the spreads of two sides count as different."""
FEW = 4
"""With fewer runs on a side, the interval rests on the assumption of normal logarithms."""


@dataclass(frozen=True, slots=True)
class Groups:
    """What two groups of runs show about the ratio second / first.

    Attributes:
        ratio: exp(difference of the means of the logs), with Welch's t.
        shift: The estimate by Mann and Whitney, Hodges and Lehmann, as ratios; None if the groups
            are too small for an interval of 95% (three and four).
        runs: How many runs of each side.
        spreads: Standard deviation of the logarithm of one run, of each side.
        indicative: Whether a side has too few runs to check the interval by ranks.

    """

    ratio: LogRatio
    shift: Shift | None
    runs: tuple[int, int]
    spreads: tuple[float, float]
    indicative: bool

    @property
    def same_spread(self) -> bool:
        """Whether the data allow the same spread on both sides; if not, `shift` is not reliable.

        By the ratio of the variances of the logarithms (Fisher's F). If it is false, the interval
        by ranks is too narrow; Welch's is made for that case.
        """
        first, second = (spread**2 for spread in self.spreads)
        if first == 0 or second == 0:
            return first == second
        below = float(fdtr(self.runs[1] - 1, self.runs[0] - 1, second / first))
        return 2 * min(below, 1 - below) >= SPREADS_P


def compare(first: Sequence[float], second: Sequence[float]) -> Groups | None:
    """The ratio second / first of a figure, each value from one run of its side.

    Welch's t on the logarithms (Welch, Biometrika 34, 1947): the sides may differ in spread.
    Assumes that all runs are independent and that nothing but the configuration changed between the
    groups: a machine that drifted is a "difference". None with fewer than two runs on a side, or
    with a figure that is not above zero.
    """
    values = [*first, *second]
    if min(len(first), len(second)) < 2 or not all(math.isfinite(v) and v > 0 for v in values):
        return None
    a, b = [math.log(value) for value in first], [math.log(value) for value in second]
    (mean_a, error_a), (mean_b, error_b) = mean_and_error(a), mean_and_error(b)
    found = between(a, b)
    shift = found and Shift(
        math.exp(found.value), math.exp(found.low), math.exp(found.high), found.confidence
    )
    return Groups(
        ratio=LogRatio(
            mean_b - mean_a,
            math.hypot(error_a, error_b),
            satterthwaite((error_a, len(a) - 1), (error_b, len(b) - 1)),
        ),
        shift=shift,
        runs=(len(a), len(b)),
        spreads=(error_a * math.sqrt(len(a)), error_b * math.sqrt(len(b))),
        indicative=min(len(a), len(b)) <= FEW,
    )


def satterthwaite(*errors: tuple[float, float]) -> float:
    """Degrees of freedom of a sum from (standard error, degrees of freedom) of its parts.

    Satterthwaite, An approximate distribution of estimates of variance components, Biometrics
    Bulletin 2, 1946. A part with a known error has infinite freedom. If all errors are zero: the
    sum of the freedoms.
    """
    total = math.fsum(error**2 for error, _ in errors)
    if total == 0:
        return math.fsum(freedom for _, freedom in errors)
    loss = math.fsum((error**2 / total) ** 2 / freedom for error, freedom in errors)
    return 1 / loss if loss > 0 else math.inf
