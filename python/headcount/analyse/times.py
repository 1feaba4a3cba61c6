"""Percentiles and rates of a level with their uncertainty."""

import math
from collections.abc import Sequence

from scipy.special import stdtrit

from headcount._engine import Histogram
from headcount.analyse.lateness import Waits
from headcount.analyse.statistics.memory import is_too_short
from headcount.analyse.statistics.sections import is_clustered, sectioned
from headcount.bundle.level import OwnDelay, Times

FEWEST_RATES = 5
"""Fewest sections: fewer say too little of their spread, and Student's t widens the interval by
half."""
RATE_S = 1.0
"""Shortest section for the interval of a rate: the engine reports each second."""


QUANTILES = {"p50_ms": 0.5, "p90_ms": 0.9, "p95_ms": 0.95, "p99_ms": 0.99, "p999_ms": 0.999}
"""The usual percentiles."""


def times_of(histogram: Histogram, waits: Waits | None = None) -> Times | None:
    """The usual percentiles in ms; None if nothing was recorded.

    `waits` gives how much of them may be the load generator's own delay, if that is known.
    """
    if histogram.count == 0:
        return None
    return Times(
        count=histogram.count,
        mean_ms=histogram.mean_us / 1000,
        max_ms=histogram.max_us / 1000,
        own_delay=None if waits is None else _own_delay(histogram, waits),
        **{name: histogram.quantile_us(quantile) / 1000 for name, quantile in QUANTILES.items()},
    )


def _own_delay(histogram: Histogram, waits: Waits) -> OwnDelay:
    return OwnDelay(
        mean_ms=min(waits.of_mean_us, histogram.mean_us) / 1000,
        **{
            name: waits.of_quantile_us(histogram, quantile) / 1000
            for name, quantile in QUANTILES.items()
        },
    )


def quantile_interval_ms(
    sections: Sequence[Histogram], quantile: float
) -> tuple[float, float] | None:
    """The 95% confidence interval of a percentile, in ms, by `statistics.sections`.

    `sections` are those of a level, in order. None with fewer than three, or if one holds fewer
    than 20 durations.
    """
    found = sectioned(Histogram.merge(list(sections)), sections, quantile)
    return None if found is None else (found.low_us / 1000, found.high_us / 1000)


def doubted_interval_ms(
    sections: Sequence[Histogram], quantile: float, means_ms: Sequence[float]
) -> tuple[tuple[float, float] | None, bool]:
    """The interval, and whether it is too narrow; `means_ms` are the means of each second."""
    found = sectioned(Histogram.merge(list(sections)), sections, quantile)
    if found is None:
        return None, False
    short = is_too_short(means_ms, len(means_ms) / len(sections))
    doubted = short or is_clustered(found.value_us, sections)
    return (found.low_us / 1000, found.high_us / 1000), doubted


def rate_interval(sections: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """A 95% confidence interval of a rate from (count, seconds) of consecutive sections.

    Batch means: the sections' rates, with Student's t (Law, Simulation Modeling and Analysis, 2015,
    9.5.3). Assumes sections long against the busy periods of the server; it shows how exactly this
    level measured its rate, not how much another one would differ. None with fewer than five.
    """
    if len(sections) < FEWEST_RATES:
        return None
    rates = [count / max(seconds, 1e-9) for count, seconds in sections]
    whole = sum(count for count, _ in sections) / max(sum(s for _, s in sections), 1e-9)
    spread = sum((rate - whole) ** 2 for rate in rates) / (len(rates) - 1)
    half = float(stdtrit(len(rates) - 1, 0.975)) * math.sqrt(spread / len(rates))
    return max(whole - half, 0.0), whole + half
