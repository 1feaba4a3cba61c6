"""Percentiles and rates of a level, and how sure they are."""

import math
from collections.abc import Sequence

from scipy.special import stdtrit

from headcount._engine import Histogram
from headcount.bundle.level import Times

SECTIONS = 10
"""Sections of a level for the interval of a percentile: ten keep 9 degrees of freedom and leave
each section long enough to hold more than one busy period of the server."""


FEWEST_RATES = 5
"""Fewer sections say too little of their spread: Student's t would widen the interval by half."""
RATE_S = 1.0
"""Shortest section of the interval of a rate: the engine reports each second."""


def times_of(histogram: Histogram) -> Times | None:
    """The usual percentiles in ms; None when nothing was recorded."""
    if histogram.count == 0:
        return None
    percentiles = {
        name: histogram.quantile_us(quantile) / 1000
        for name, quantile in (
            ("p50_ms", 0.5),
            ("p90_ms", 0.9),
            ("p95_ms", 0.95),
            ("p99_ms", 0.99),
            ("p999_ms", 0.999),
        )
    }
    return Times(
        count=histogram.count,
        mean_ms=histogram.mean_us / 1000,
        max_ms=histogram.max_us / 1000,
        **percentiles,
    )


def quantile_interval_ms(
    sections: Sequence[Histogram], quantile: float
) -> tuple[float, float] | None:
    """A 95 % confidence interval of a percentile, in ms, by sectioning.

    The level is cut into consecutive sections; the spread of their percentiles, on the log scale,
    around the percentile of the whole gives the standard error (Asmussen and Glynn, Stochastic
    Simulation, 2007, III.5). Unlike order statistics it does not take neighbouring requests for
    independent. Assumes sections long against the busy periods of the server. None with fewer than
    three sections that hold at least 20 durations each.
    """
    whole = Histogram.merge(list(sections))
    usable = [section for section in sections if section.count >= 20]
    if len(usable) < 3 or len(usable) < len(sections):
        return None
    low, high = around(
        whole.quantile_us(quantile), [section.quantile_us(quantile) for section in usable]
    )
    return low / 1000, high / 1000


def around(whole: float, sections: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of a time by sectioning on the log scale; in µs, or at least 1 of any unit.

    `whole` is the figure of the level, `sections` the same figure of each of its sections.
    """
    centre = math.log(max(whole, 1))
    logs = [math.log(max(value, 1)) for value in sections]
    spread = sum((value - centre) ** 2 for value in logs) / (len(logs) - 1)
    half = float(stdtrit(len(logs) - 1, 0.975)) * math.sqrt(spread / len(logs))
    return math.exp(centre - half), math.exp(centre + half)


def rate_interval(sections: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """A 95 % confidence interval of a rate from (count, seconds) of consecutive sections.

    Batch means: the sections' rates, with Student's t (Law, Simulation Modeling and Analysis, 2015,
    9.5.3). Assumes sections long against the busy periods of the server; it tells how exactly this
    level measured its rate, not how much another one would differ. None with fewer than five.
    """
    if len(sections) < FEWEST_RATES:
        return None
    rates = [count / max(seconds, 1e-9) for count, seconds in sections]
    whole = sum(count for count, _ in sections) / max(sum(s for _, s in sections), 1e-9)
    spread = sum((rate - whole) ** 2 for rate in rates) / (len(rates) - 1)
    half = float(stdtrit(len(rates) - 1, 0.975)) * math.sqrt(spread / len(rates))
    return max(whole - half, 0.0), whole + half
