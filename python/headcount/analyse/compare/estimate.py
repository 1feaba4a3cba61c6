"""The ratio of a metric at equal users, by the best method that the measurements support."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from headcount.analyse.compare import spread
from headcount.analyse.compare.comparison import Method
from headcount.analyse.compare.figure import Figure, combined_figure
from headcount.analyse.compare.measured import Measured
from headcount.analyse.compare.pairing import Pair
from headcount.analyse.search.regression import PRIOR_RUNS
from headcount.analyse.statistics import pairs as by_pairs
from headcount.analyse.statistics import samples
from headcount.analyse.statistics.student import LogRatio

FEWEST_RUNS = 3
"""With fewer pairs, or runs of a side, their spread is too uncertain: the usual one is used."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A ratio second / first.

    Attributes:
        a, b: The figures of both sides.
        log: The ratio with its interval; None if nothing gives one.
        method: Source of the interval.
        runs: Number of runs of each side.
        pairs: Number of pairs, if they were paired.
        pair_spread: Standard deviation of the log ratio of one pair of runs, as far as it is known:
            it decides how many pairs would show a difference.

    """

    a: Figure
    b: Figure
    log: LogRatio | None
    method: Method | None
    runs: tuple[int, int]
    pairs: int | None
    pair_spread: float | None

    @property
    def ratio(self) -> float:
        """Second / first."""
        return math.exp(self.log.log) if self.log else self.b.value / self.a.value

    @property
    def indicative(self) -> bool:
        """Whether it rests on only a few runs."""
        return min(self.runs) <= samples.FEW


@dataclass(frozen=True, slots=True)
class Matched:
    """The levels of two sides at equal users.

    Attributes:
        first, second: Those levels.
        pairs: The same levels in pairs, if they were measured alternately; else empty.
        around: All other levels of both sides, first and second.

    """

    first: Sequence[Measured]
    second: Sequence[Measured]
    pairs: Sequence[Pair]
    around: tuple[Sequence[Measured], Sequence[Measured]]


def estimate(metric: str, matched: Matched) -> Estimate | None:
    """The ratio of a metric; None unless every level of both sides has it, from the same counters.

    With at least three pairs of levels measured alternately: Student's t on their log ratios. Else
    with at least three runs of each side: Welch's t on the logarithms of the runs. Else the
    sections of the levels, and the usual spread from run to run, which so few runs cannot show.
    """
    levels = [*matched.first, *matched.second]
    if not all(metric in one.figures for one in levels):
        return None
    if len({one.sources.get(metric) for one in levels}) > 1:
        return None
    if len(matched.pairs) >= FEWEST_RUNS:
        return _paired(metric, matched)
    runs = [_runs(metric, side) for side in (matched.first, matched.second)]
    if min(map(len, runs)) >= FEWEST_RUNS:
        return _grouped(runs[0], runs[1])
    return _sectioned(metric, matched, runs[0], runs[1])


def _runs(metric: str, levels: Sequence[Measured]) -> list[Figure]:
    """One figure per run: levels of one run at equal users are combined."""
    found: dict[int, list[Figure]] = {}
    for one in levels:
        found.setdefault(one.bundle, []).append(one.figures[metric])
    return [combined_figure(figures) for figures in found.values()]


def _paired(metric: str, matched: Matched) -> Estimate | None:
    values = [(a.figures[metric].value, b.figures[metric].value) for a, b in matched.pairs]
    found = by_pairs.compare(values)
    if found is None:
        return None
    return Estimate(
        a=_mean([a for a, _ in values]),
        b=_mean([b for _, b in values]),
        log=found.ratio,
        method="pairs",
        runs=(found.pairs, found.pairs),
        pairs=found.pairs,
        pair_spread=found.spread,
    )


def _grouped(first: Sequence[Figure], second: Sequence[Figure]) -> Estimate | None:
    a, b = [one.value for one in first], [one.value for one in second]
    found = samples.compare(a, b)
    if found is None:
        return None
    return Estimate(
        a=_mean(a),
        b=_mean(b),
        log=found.ratio,
        method="runs",
        runs=found.runs,
        pairs=None,
        pair_spread=math.hypot(*found.spreads),
    )


def _sectioned(
    metric: str, matched: Matched, first: Sequence[Figure], second: Sequence[Figure]
) -> Estimate:
    a, b = combined_figure(first), combined_figure(second)
    runs = (len(first), len(second))
    if a.error is None or b.error is None:
        return Estimate(a, b, None, None, runs, None, None)
    usual = [
        spread.usual_spread(metric, levels, around)
        for levels, around in zip((matched.first, matched.second), matched.around, strict=True)
    ]
    parts = [*_parts(first, a, usual[0]), *_parts(second, b, usual[1])]
    error = math.sqrt(math.fsum(part**2 for part, _ in parts))
    log = LogRatio(math.log(b.value / a.value), error, samples.satterthwaite(*parts))
    pair_spread = error * math.sqrt(2 / (1 / runs[0] + 1 / runs[1]))
    return Estimate(a, b, log, "sections", runs, None, pair_spread)


def _parts(runs: Sequence[Figure], mean: Figure, usual: float) -> list[tuple[float, float]]:
    """Standard errors, with degrees of freedom, that make up that of the mean of few runs.

    For one run: its own, and the usual spread between runs. For two or more: the spread they show,
    moderated by the usual one as if that had been seen in PRIOR_RUNS runs. Two runs may agree by
    chance (Smyth, Linear models and empirical Bayes methods, Statistical Applications in Genetics
    and Molecular Biology 3, 2004).
    """
    count, error = len(runs), mean.error or 0.0
    if count == 1:
        return [(error, mean.freedom), (usual, math.inf)]
    expected = error**2 * count + usual**2
    logs = [math.log(run.value / mean.value) for run in runs]
    seen = math.fsum(log**2 for log in logs)
    freedom = PRIOR_RUNS + count - 1
    return [(math.sqrt((PRIOR_RUNS * expected + seen) / freedom / count), freedom)]


def _mean(values: Sequence[float]) -> Figure:
    """The geometric mean of runs, with Student's interval."""
    logs = [math.log(value) for value in values]
    mean = math.fsum(logs) / len(logs)
    error = math.sqrt(math.fsum((log - mean) ** 2 for log in logs) / (len(logs) - 1) / len(logs))
    return Figure(math.exp(mean), error, len(logs) - 1)
