"""Ratios of capacities from pairs of levels, against scipy and known capacities."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

from headcount.analyse.statistics.capacities import compare

SEED = 20_260_111
EACH = 10_000
USERS = (860.0, 900.0, 940.0, 980.0) * 2
TRUE = 1.05


def played(
    stream: np.random.Generator, slopes: tuple[float, float] = (25.0, 25.0), ratio: float = TRUE
) -> list[tuple[float, tuple[float, float], tuple[float, float]]]:
    """Pairs on a machine that gets 4 % slower, with runs that differ by 1 %."""
    pairs = []
    for i, users in enumerate(USERS):
        drift = 0.04 * i / len(USERS)
        sides = []
        for capacity, slope in zip((900.0, 900.0 * ratio), slopes, strict=True):
            away = math.log(users / capacity) + drift + stream.normal(0, 0.01)
            share = float(expit(logit(0.05) + slope * away))
            sides.append((float(stream.binomial(EACH, share)), float(EACH)))
        pairs.append((users, sides[0], sides[1]))
    return pairs


def test_it_is_the_parallel_line_assay_of_scipys_pieces() -> None:
    pairs = played(np.random.default_rng(SEED))
    found = compare(pairs)
    assert found is not None
    x = np.log([users for users, _, _ in pairs])
    first, second = (
        np.array([logit((pair[side][0] + 0.5) / (EACH + 1)) for pair in pairs]) for side in (1, 2)
    )
    line = stats.linregress(x, (first + second) / 2)
    shift = stats.ttest_1samp(second - first, 0.0)
    mean = float((second - first).mean())
    error = mean / float(shift.statistic)
    assert found.slope == pytest.approx(float(line.slope))
    assert found.ratio.log == pytest.approx(-mean / line.slope)
    by_delta = math.hypot(error / line.slope, mean * line.stderr / line.slope**2)
    assert found.ratio.error == pytest.approx(by_delta)
    assert found.ratio.freedom == len(pairs) - 1
    assert found.parallel == (stats.linregress(x, second - first).pvalue > 0.1)


def test_the_interval_holds_the_ratio_although_the_machine_drifts() -> None:
    stream = np.random.default_rng(SEED)
    found = [compare(played(stream)) for _ in range(500)]
    held = [f is not None and f.ratio.low <= TRUE <= f.ratio.high for f in found]
    assert sum(held) / len(held) == pytest.approx(0.95, abs=0.039)
    parallel = [f is not None and f.parallel for f in found]
    assert sum(parallel) / len(parallel) == pytest.approx(0.9, abs=0.06)


def test_curves_of_different_steepness_are_told() -> None:
    stream = np.random.default_rng(SEED)
    found = [compare(played(stream, (15.0, 40.0))) for _ in range(50)]
    assert sum(f is not None and not f.parallel for f in found) >= 45


def test_swapping_the_sides_inverts_the_ratio() -> None:
    pairs = played(np.random.default_rng(SEED))
    there, back = compare(pairs), compare([(users, b, a) for users, a, b in pairs])
    assert there is not None
    assert back is not None
    assert there.ratio.value * back.ratio.value == pytest.approx(1)


def test_too_little_says_nothing() -> None:
    pairs = played(np.random.default_rng(SEED))
    assert compare(pairs[:3]) is None
    assert compare([]) is None
    assert compare([(900.0, a, b) for _, a, b in pairs]) is None
    assert compare([(users, (5.0, 100.0), (5.0, 100.0)) for users, _, _ in pairs]) is None
    assert compare([*pairs, (900.0, (0.0, 0.0), (5.0, 100.0))]) is None


def test_the_same_on_both_sides_is_a_ratio_of_one() -> None:
    found = compare([(users, a, a) for users, a, _ in played(np.random.default_rng(SEED))])
    assert found is not None
    assert (found.ratio.value, found.ratio.error, found.parallel) == (1, 0, True)
