"""Whether intervals of 95 % hold the truth that often: a few hundred seeds each.

`python -m bench.statistics` has thousands, and the bad cases. Bounds are four binomial standard
errors about 95 %: with fixed seeds they cannot fail by chance, and normal quantiles instead of
Student's, a forgotten square root, or a section counted twice do fail.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from bench.statistics import monotone
from numpy.typing import NDArray
from scipy.special import expit, logit

from headcount.analyse.statistics import pairs, samples
from headcount.analyse.statistics.ratio import Measured, quotient
from headcount.analyse.statistics.sections import SECTIONS, exceeded, sectioned
from headcount.analyse.statistics.student import mean_and_error, quantile

SEED = 20_260_110
SEEDS = 500
CLAIMED = 0.95
TRUE = 1.03


def holds(found: list[bool]) -> bool:
    error = math.sqrt(CLAIMED * (1 - CLAIMED) / len(found))
    return abs(sum(found) / len(found) - CLAIMED) <= 4 * error


@dataclass(frozen=True)
class Sorted:
    """What the intervals need of a histogram, of exact values."""

    values: NDArray[np.float64]

    @property
    def count(self) -> int:
        return len(self.values)

    def quantile_us(self, share: float, /) -> float:
        return float(self.values[max(math.ceil(round(share * self.count, 9)), 1) - 1])

    def count_above(self, limit_us: int, /) -> int:
        return int((self.values > limit_us).sum())


@pytest.mark.parametrize("count", [3, 4, 8])
def test_pairs_by_student(count: int) -> None:
    stream = np.random.default_rng(SEED)
    found = []
    for _ in range(SEEDS):
        # What a pair shares, however large, must cancel.
        common = stream.normal(0, 0.5, count)
        before, after = np.exp(common + stream.normal(0, 0.02, (2, count)))
        result = pairs.compare(list(zip(before, after * TRUE, strict=True)))
        assert result is not None
        found.append(result.ratio.low <= TRUE <= result.ratio.high)
    assert holds(found)


@pytest.mark.parametrize("count", [6, 10, 15])
def test_pairs_by_ranks_cover_the_truth_as_often_as_stated(count: int) -> None:
    stream = np.random.default_rng(SEED)
    found, claimed = [], 0.0
    for _ in range(SEEDS):
        result = pairs.compare([(1.0, TRUE * math.exp(x)) for x in stream.laplace(0, 0.02, count)])
        assert result is not None
        assert result.shift is not None
        claimed = result.shift.confidence
        found.append(result.shift.low <= TRUE <= result.shift.high)
    assert claimed >= CLAIMED
    assert sum(found) / SEEDS == pytest.approx(claimed, abs=0.04)


def test_groups_of_different_spread() -> None:
    stream = np.random.default_rng(SEED)
    found = []
    for _ in range(SEEDS):
        result = samples.compare(
            np.exp(stream.normal(0, 0.02, 12)).tolist(),
            (TRUE * np.exp(stream.normal(0, 0.08, 4))).tolist(),
        )
        assert result is not None
        found.append(result.ratio.low <= TRUE <= result.ratio.high)
    assert holds(found)


def measured(logs: NDArray[np.float64]) -> Measured:
    mean, error = mean_and_error(logs.tolist())
    half = quantile(len(logs) - 1) * error
    return Measured(math.exp(mean), math.exp(mean - half), math.exp(mean + half), len(logs) - 1)


def test_quotients_of_figures_with_intervals() -> None:
    stream = np.random.default_rng(SEED)
    found = []
    for _ in range(SEEDS):
        ratio = quotient(
            measured(math.log(TRUE) + stream.normal(0, 0.05, 4)),
            measured(stream.normal(0, 0.01, 10)),
        )
        assert ratio is not None
        found.append(ratio.low <= TRUE <= ratio.high)
    assert holds(found)


def test_percentiles_of_independent_durations() -> None:
    stream = np.random.default_rng(SEED)
    truth = 50_000 * math.log(20)
    found: dict[str, list[bool]] = {"sections": [], "ranks": []}
    for _ in range(3 * SEEDS):  # enough to distinguish 9 degrees of freedom from infinitely many
        drawn = np.ceil(stream.exponential(50_000, (SECTIONS, 400)))
        parts = [Sorted(np.sort(part)) for part in drawn]
        whole = Sorted(np.sort(drawn.ravel()))
        for name, interval in (("sections", sectioned), ("ranks", exceeded)):
            bounds = interval(whole, parts, 0.95)
            assert bounds is not None
            found[name].append(bounds.low_us <= truth <= bounds.high_us)
    assert holds(found["sections"])
    assert holds(found["ranks"])


def test_the_root_of_a_ladder() -> None:
    stream = np.random.default_rng(SEED)
    found = []
    for _ in range(SEEDS):
        capacity = 900 * math.exp(stream.uniform(-0.03, 0.03))
        users = np.array([820.0, 860.0, 900.0, 940.0, 980.0] * 3)
        away = np.log(users / capacity) + stream.normal(0, monotone.SPREAD, len(users))
        bad = stream.binomial(10_000, expit(logit(0.05) + 25 * away))
        root = monotone.crossing(
            [monotone.of_share(u, b, 10_000, 0.05, []) for u, b in zip(users, bad, strict=True)]
        )
        assert root is not None
        found.append(root.low <= capacity <= root.high)
    assert holds(found)
