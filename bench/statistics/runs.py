"""Ratios of runs whose truth is given: pairs, groups, quotients, and trends."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bench.statistics.order import has_taken_turns
from bench.statistics.tally import Tally
from headcount.analyse.statistics import pairs, samples
from headcount.analyse.statistics.drift import drift
from headcount.analyse.statistics.ratio import Measured, quotient
from headcount.analyse.statistics.student import mean_and_error, quantile

Vector = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], tuple[Vector, Vector]]
RATIO = 1.03
CV = 0.02
SEEDS = 4_000


def quiet(stream: np.random.Generator, count: int) -> tuple[Vector, Vector]:
    """Independent runs that differ by 2%."""
    return stream.normal(0, CV, count), stream.normal(0, CV, count)


def drifting(stream: np.random.Generator, count: int) -> tuple[Vector, Vector]:
    """The same in blocks ABBA on a machine that gets 5% slower meanwhile."""
    places = np.arange(2 * count).reshape(-1, 2)
    places[1::2] = places[1::2, ::-1]
    first, second = quiet(stream, count)
    slope = -0.05 / (2 * count)
    return first + slope * places[:, 0], second + slope * places[:, 1]


def apart(stream: np.random.Generator, count: int) -> tuple[Vector, Vector]:
    """The same drift, all of A before all of B."""
    first, second = quiet(stream, count)
    slope = -0.05 / (2 * count)
    return first + slope * np.arange(count), second + slope * np.arange(count, 2 * count)


def outliers(stream: np.random.Generator, count: int) -> tuple[Vector, Vector]:
    """One run in twenty is up to 30% slower, on either side."""
    first, second = quiet(stream, count)
    return first - _odd(stream, count), second - _odd(stream, count)


def _odd(stream: np.random.Generator, count: int) -> Vector:
    found: Vector = (stream.random(count) < 0.05) * stream.uniform(0.05, 0.3, count)
    return found


def uneven(stream: np.random.Generator, count: int) -> tuple[Vector, Vector]:
    """The second side has half as many runs, which differ by 8% instead of 2%."""
    return stream.normal(0, CV, count), stream.normal(0, 4 * CV, count // 2)


BLOCKS = "8 and 8 runs AAAABBBB, the machine drifts by 5%"
ORDERS = {BLOCKS: [False] * 8 + [True] * 8}
"""In which order the runs were made, where they did not take turns."""

PAIRED: tuple[tuple[str, Draw, int, bool], ...] = (
    ("4 quiet pairs", quiet, 4, True),
    ("8 quiet pairs", quiet, 8, True),
    ("16 quiet pairs", quiet, 16, True),
    ("8 pairs ABBA, the machine drifts by 5%", drifting, 8, True),
    ("12 pairs, 5% outliers", outliers, 12, True),
    (BLOCKS, apart, 8, False),
)
GROUPED: tuple[tuple[str, Draw, int, tuple[bool, bool]], ...] = (
    ("6 and 6 quiet runs", quiet, 6, (True, True)),
    ("12 and 6 runs, spread 2 and 8%", uneven, 12, (True, False)),
    (BLOCKS, apart, 8, (False, False)),
)


def ratios(part: float) -> list[Tally]:
    """Student's, Welch's and the Hodges-Lehmann intervals."""
    rows = []
    for number, (case, draw, count, benign) in enumerate(PAIRED):
        doubt = not has_taken_turns(ORDERS.get(case, []))
        by_t = Tally("pairs, Student", case, benign)
        by_ranks = Tally("pairs, Hodges-Lehmann", case, benign)
        for stream in _streams(number, part):
            first, second = (np.exp(side) for side in draw(stream, count))
            difference = pairs.compare(list(zip(first, second * RATIO, strict=True)))
            if difference is not None:
                by_t.add(
                    RATIO,
                    (difference.ratio.low, difference.ratio.high),
                    flagged=difference.indicative or doubt,
                )
                if difference.shift is not None:
                    by_ranks.add(
                        RATIO, (difference.shift.low, difference.shift.high), flagged=doubt
                    )
        rows += [by_t, by_ranks] if by_ranks.held else [by_t]
    for number, (case, draw, count, both) in enumerate(GROUPED, 100):
        doubt = not has_taken_turns(ORDERS.get(case, []))
        by_t = Tally("groups, Welch", case, both[0])
        by_ranks = Tally("groups, ranks", case, both[1])
        for stream in _streams(number, part):
            first, second = (np.exp(side) for side in draw(stream, count))
            groups = samples.compare(first.tolist(), (second * RATIO).tolist())
            if groups is not None:
                by_t.add(RATIO, (groups.ratio.low, groups.ratio.high), flagged=doubt)
                if groups.shift is not None:
                    wrong = doubt or not groups.same_spread
                    by_ranks.add(RATIO, (groups.shift.low, groups.shift.high), flagged=wrong)
        rows += [by_t, by_ranks]
    return rows


def quotients(part: float) -> list[Tally]:
    """Two figures with intervals of their own: known freedom, and not."""
    rows = []
    for number, (case, freedom_known) in enumerate(
        (("6 runs over 10, freedom known", True), ("6 runs over 10, freedom unknown", False)), 200
    ):
        tally = Tally("quotient", case, benign=freedom_known)
        for stream in _streams(number, part):
            over, under = (
                _measured(stream.normal(0, CV, count), freedom_known) for count in (6, 10)
            )
            found = quotient(over, under)
            tally.add(1.0, (found.low, found.high) if found else None, flagged=not freedom_known)
        rows.append(tally)
    return rows


def _measured(logs: Vector, freedom_known: bool) -> Measured:
    mean, error = mean_and_error(logs.tolist())
    half = quantile(len(logs) - 1) * error
    freedom = len(logs) - 1 if freedom_known else math.inf
    return Measured(math.exp(mean), math.exp(mean - half), math.exp(mean + half), freedom)


def trends(part: float) -> list[tuple[str, float]]:
    """How often Mann and Kendall see a trend at p < 0.01 in 60 values that have none."""
    rows = []
    for keep in (0.0, 0.2, 0.4, 0.6):
        seen = []
        for stream in _streams(300, part):
            noise = stream.normal(0, 1, 60)
            series = [noise[0] / math.sqrt(1 - keep**2)]
            for value in noise[1:]:
                series.append(keep * series[-1] + value)
            found = drift(series)
            seen.append(found is not None and found.p < 0.01)
        rows.append((f"neighbours correlated by {keep}", float(np.mean(seen))))
    return rows


def _streams(number: int, part: float) -> list[np.random.Generator]:
    return [np.random.default_rng((number, seed)) for seed in range(max(round(SEEDS * part), 20))]
