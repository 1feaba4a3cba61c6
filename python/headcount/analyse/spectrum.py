"""The percentile spectrum: a whole distribution of response times with its tail stretched out.

A percentile q is plotted at log10(1 / (1 - q)), its number of nines, as in HdrHistogram's own plots
(Gil Tene, HdrHistogram, "percentile distribution"): the median, p90, p99 and p99.9 are about
equally far apart, which shows a tail that a single figure hides.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from headcount._engine import Histogram

STEPS_OF_TEN = 24
"""Points per nine: denser than a chart of a page's width resolves."""
_US_PER_MS = 1000.0


@dataclass(frozen=True, slots=True)
class Spectrum:
    """One distribution.

    Attributes:
        count: How many durations it has.
        points: (share not above, duration in ms), ascending in both. The last is the greatest
            duration, at the share 1 - 1/count: rarer ones are unknown.

    """

    count: int
    points: tuple[tuple[float, float], ...]


def spectrum(times: Histogram) -> Spectrum | None:
    """The spectrum of a histogram; None with fewer than two durations."""
    if times.count < 2:
        return None
    last = 1 - 1 / times.count
    points = [(share, times.quantile_us(share) / _US_PER_MS) for share in _shares(last)]
    points.append((last, times.max_us / _US_PER_MS))
    return Spectrum(times.count, tuple(points))


def _shares(last: float) -> Iterator[float]:
    index = 0
    while (share := 1 - 10 ** (-index / STEPS_OF_TEN)) < last:
        yield share
        index += 1
