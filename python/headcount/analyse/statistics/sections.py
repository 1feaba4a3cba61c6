"""The interval of a percentile of one level, although neighbouring answers are correlated.

The textbook's order statistics assume independent answers. In a queue they are not: at 80% load
such an interval of the p95 holds the truth one time in four. Here the level is cut into consecutive
sections, and the differences between them give the error.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from scipy.special import chdtri

from headcount.analyse.statistics.student import quantile as student
from headcount.bundle.stretches import SLACK_S

SECTIONS = 10
"""Sections of a level: ten keep 9 degrees of freedom and leave each section long enough to hold
more than one busy period of the server."""
SECTION_S = 2.0
"""Shortest section: a level of 20 s has ten of them."""
LEAST_IN_SECTION = 20
"""Fewest durations in a section: with fewer, the p95 is the greatest or the second greatest."""
LEAST_SECTIONS = 3
FEWEST = 40.0
"""Independent answers above a percentile, below which the clusters are too few. For simulated
queues that are 50 to 95% busy, measured for 60 and 300 s, intervals hold the truth in 94 to 97% of
cases where the median level has 60 or more, and in 78 to 88% where it has 4 to 18."""
CHANCE = 0.05
"""Probability of taking independent answers for clustered."""


def is_long_enough(level_s: float) -> bool:
    """Whether a level of this length is cut into sections.

    One of 20 s is, although the engine's seconds often come to a few microseconds less.
    """
    return level_s > SECTIONS * SECTION_S - SLACK_S


class Durations(Protocol):
    """What the intervals need of a histogram."""

    @property
    def count(self) -> int:
        """How many durations it holds."""
        ...

    def quantile_us(self, quantile: float, /) -> float:
        """The duration that this share of them does not exceed, in µs."""
        ...

    def count_above(self, limit_us: int, /) -> int:
        """How many exceed a limit in µs."""
        ...


@dataclass(frozen=True, slots=True)
class Percentile:
    """A percentile of a level with its 95% interval, in µs; `high` may be infinite."""

    value_us: float
    low_us: float
    high_us: float


def sectioned(whole: Durations, parts: Sequence[Durations], share: float) -> Percentile | None:
    """A percentile's interval by sectioning; the default.

    Asmussen and Glynn, Stochastic Simulation, 2007, III.5. Assumes that sections are long against
    the memory of the server (`memory.too_short` tests that), with as many answers in each. None
    with fewer than three sections, or if one holds fewer than 20 durations.
    """
    if not _enough(parts):
        return None
    value = whole.quantile_us(share)
    low, high = around(value, [part.quantile_us(share) for part in parts])
    return Percentile(value, low, high)


def exceeded(whole: Durations, parts: Sequence[Durations], share: float) -> Percentile | None:
    """A percentile's interval by batch-exceed ranks; wider than `sectioned` if sections are short.

    How many durations of each section exceed the percentile of the whole gives the standard error
    of the share below it, as of any ratio of sums (Cochran, Sampling Techniques, 3rd ed., 1977,
    6.3); the ends are the percentiles at that share plus and minus t times that error. The step
    from a share's error to a percentile's is Woodruff's (Journal of the American Statistical
    Association 47, 1952). `high` is infinite if the level is too short to bound it. Assumptions
    and None are as in `sectioned`.
    """
    if not _enough(parts):
        return None
    value = whole.quantile_us(share)
    total = sum(part.count for part in parts)
    above = [part.count_above(int(value)) for part in parts]
    error = math.sqrt(_variance(above, parts)) / total
    half = student(len(parts) - 1) * error
    low = whole.quantile_us(max(share - half, 0.0))
    high = whole.quantile_us(share + half) if share + half <= 1 else math.inf
    return Percentile(value, low, high)


def is_clustered(value_us: float, parts: Sequence[Durations]) -> bool:
    """Whether too few clusters of slow answers make up a percentile, so its interval is too narrow.

    A busy server's slow answers come in clusters. The answers above the percentile carry as much
    information as `n^2 / variance` independent ones would: `n` is how many there are, and the
    variance is that of their number, from the sections (the effective sample size: Kish, Survey
    Sampling, 1965, 8.2). Few of them do no harm if answers are independent, so they must be
    clustered as well: the index of dispersion of the sections' numbers exceeds what chance gives in
    one of 20 levels (Fisher, Statistical Methods for Research Workers, 1925, ch. IV). `value_us` is
    the percentile, as `sectioned` gives it.
    """
    above = [part.count_above(int(value_us)) for part in parts]
    total = sum(part.count for part in parts)
    exceeding, variance = sum(above), _variance(above, parts)
    independent = exceeding * (1 - exceeding / total)
    most = float(chdtri(len(parts) - 1, CHANCE)) / (len(parts) - 1)
    return variance > most * independent and exceeding**2 < FEWEST * variance


def _variance(above: Sequence[int], parts: Sequence[Durations]) -> float:
    """Variance of the number of a level's answers above a value, from its sections' differences."""
    share = sum(above) / sum(part.count for part in parts)
    squares = math.fsum((a - share * p.count) ** 2 for a, p in zip(above, parts, strict=True))
    return squares * len(parts) / (len(parts) - 1)


def around(whole: float, sections: Sequence[float]) -> tuple[float, float]:
    """The 95% interval of a time by sectioning on the log scale; in µs, or any unit if at least 1.

    `whole` is the figure of the level, `sections` the same figure of each of its sections. The
    spread about the whole rather than about the sections' mean counts the bias of short sections.
    """
    centre = math.log(max(whole, 1))
    logs = [math.log(max(value, 1)) for value in sections]
    spread = sum((value - centre) ** 2 for value in logs) / (len(logs) - 1)
    half = student(len(logs) - 1) * math.sqrt(spread / len(logs))
    return math.exp(centre - half), math.exp(centre + half)


def _enough(parts: Sequence[Durations]) -> bool:
    return len(parts) >= LEAST_SECTIONS and all(p.count >= LEAST_IN_SECTION for p in parts)
