"""Whether figures in time order rise or fall, and how fast."""

from collections.abc import Sequence
from dataclasses import dataclass

from headcount.analyse.statistics.ranks import kendall, sen


@dataclass(frozen=True, slots=True)
class Drift:
    """A trend over equally spaced figures in time order.

    Attributes:
        p: Two-sided p-value of "no trend", by Mann and Kendall.
        tau: Kendall's tau against time: 1 if each is above the last, -1 if each is below.
        slope: Sen's slope: the change from one figure to the next, in their unit.
        low, high: Its 95% interval.
        moved: The change over the whole series as a share of its middle; 0 if the middle is 0.

    """

    p: float
    tau: float
    slope: float
    low: float
    high: float
    moved: float

    def counts(self, p: float, share: float) -> bool:
        """Whether it is both significant at `p` and moves the series by more than `share`."""
        return self.p < p and abs(self.moved) > share


def drift(values: Sequence[float]) -> Drift | None:
    """The Mann-Kendall test of a trend, with Sen's slope; None with fewer than four values.

    Mann, Econometrica 13, 1945; Kendall, Rank Correlation Methods, 1948: exact without ties up to
    some dozens of values, with the variance corrected for ties beyond. Sen, Journal of the American
    Statistical Association 63, 1968, for the slope and its interval. Assumes independent values
    about the trend: correlated neighbours feign trends (docs/statistics.md has how often), so
    average over more than the memory of the server first. Constant values have no trend.
    """
    if len(values) < 4:
        return None
    if min(values) == max(values):
        return Drift(p=1.0, tau=0.0, slope=0.0, low=0.0, high=0.0, moved=0.0)
    tau, p = kendall(values)
    line = sen(values)
    middle = sorted(values)[len(values) // 2]
    moved = line.slope * (len(values) - 1) / middle if middle else 0.0
    return Drift(p, tau, line.slope, line.low, line.high, moved)
