"""How far a figure of outages moved between two set-ups: statistics against brute force."""

import math
import statistics
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from headcount.analyse.outage.outage_shift import Felt, interval, shift
from headcount.analyse.statistics.rank_sum import p_value
from headcount.analyse.statistics.shift import between, end_of


def felt(known: Sequence[float], longer_than: Sequence[float] = ()) -> list[Felt]:
    return [*(Felt(one) for one in known), *(Felt(None, one) for one in longer_than)]


def brute_p(one: Sequence[float], two: Sequence[float]) -> float:
    """Twice the share of all divisions whose rank sum is as far out, counted one by one."""
    ranks = stats.rankdata([*one, *two])
    sums = [sum(chosen) for chosen in combinations(ranks, len(one))]
    seen = sum(ranks[: len(one)])
    below = sum(each <= seen + 1e-9 for each in sums)
    above = sum(each >= seen - 1e-9 for each in sums)
    return min(1.0, 2 * min(below, above) / len(sums))


@pytest.mark.parametrize("seed", range(60))
def test_the_p_value_is_that_of_brute_force_with_ties_and_missing_values(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, m = random.integers(1, 7, 2)
    draws = [float(one) for one in random.integers(0, 6, n + m)]
    known = [math.inf if one == 5 else one for one in draws]
    assert p_value(known[:n], known[n:]) == pytest.approx(brute_p(known[:n], known[n:]), rel=1e-12)


@pytest.mark.parametrize(("n", "m"), [(4, 4), (3, 9), (6, 6), (20, 31), (49, 51)])
def test_the_p_value_without_ties_is_the_exact_mann_whitney_one(n: int, m: int) -> None:
    random = np.random.default_rng(n)
    a, b = random.normal(0, 1, n).tolist(), random.normal(0.7, 1, m).tolist()
    known = stats.mannwhitneyu(a, b, method="exact").pvalue
    assert p_value(a, b) == pytest.approx(known, rel=1e-9)
    assert p_value(b, a) == pytest.approx(known, rel=1e-9)


def test_the_p_value_of_many_values_is_the_asymptotic_one() -> None:
    random = np.random.default_rng(5)
    a, b = random.integers(0, 30, 70).tolist(), random.integers(3, 33, 61).tolist()
    known = stats.mannwhitneyu(a, b, method="asymptotic").pvalue
    assert p_value(a, b) == pytest.approx(known, rel=1e-9)


@pytest.mark.parametrize(("n", "m"), [(4, 4), (5, 7), (6, 6), (3, 8)])
def test_the_interval_is_all_shifts_that_the_test_does_not_reject(n: int, m: int) -> None:
    random = np.random.default_rng(n * m)
    a, b = random.exponential(3, n), random.exponential(3, m) + 1
    apart = np.sort(np.subtract.outer(b, a).ravel())
    between_them = (apart[1:] + apart[:-1]) / 2
    kept = [
        place
        for place, move in enumerate(between_them)
        if stats.mannwhitneyu(a + move, b, method="exact").pvalue > 0.05
    ]
    found = shift("served_s", ("A", "B"), felt(a), felt(b))
    assert (found.low, found.high) == pytest.approx((apart[kept[0]], apart[kept[-1] + 1]))
    assert found.shift == pytest.approx(statistics.median(apart))
    assert found.a.median == pytest.approx(float(np.median(a)))
    assert (found.a.number, found.b.number) == (n, m)


def test_too_few_have_no_interval_and_no_verdict() -> None:
    for n, m, bounded in ((3, 3, False), (3, 4, False), (4, 4, True), (2, 9, True), (1, 9, False)):
        least_p = 2 / math.comb(n + m, n)
        assert bounded == (least_p <= 0.05) == (end_of(n, m) is not None)
        a, b = [float(one) for one in range(n)], [100.0 + one for one in range(m)]
        found = shift("served_s", ("A", "B"), felt(a), felt(b))
        assert (found.low is not None) == bounded
        assert found.finding == ("worse" if bounded else "no difference shown")
    assert end_of(0, 5) is None


DRAWS: Sequence[Callable[[np.random.Generator, int], np.ndarray]] = (
    lambda random, n: random.exponential(2.0, n),
    lambda random, n: 30.0 * (random.random(n) < 0.15) + random.normal(5, 0.4, n),
    lambda random, n: np.round(random.exponential(2.0, n), 0),
)


@pytest.mark.parametrize("draw", DRAWS, ids=["skewed", "outliers", "tied"])
@pytest.mark.parametrize("watched_s", [math.inf, 5.5])
def test_the_interval_holds_the_true_shift_in_95_of_100(
    draw: Callable[[np.random.Generator, int], np.ndarray], watched_s: float
) -> None:
    """Also where users were not watched for long enough to see all of them."""
    random = np.random.default_rng(20261128)
    rounds, true, held = 1500, 1.0, 0
    for _ in range(rounds):
        a, b = draw(random, 6), draw(random, 7) + true
        low, high = interval(*(_watched(one, watched_s) for one in (a, b)))
        held += (low is None or low <= true + 1e-9) and (high is None or high >= true - 1e-9)
    assert held / rounds > 0.95 - 3 * math.sqrt(0.05 * 0.95 / rounds)


@pytest.mark.parametrize("draw", DRAWS, ids=["skewed", "outliers", "tied"])
@pytest.mark.parametrize("watched_s", [math.inf, 5.5])
def test_equal_set_ups_differ_in_5_of_100_at_most(
    draw: Callable[[np.random.Generator, int], np.ndarray], watched_s: float
) -> None:
    random = np.random.default_rng(20261128)
    rounds = 1500
    shown = sum(
        shift(
            "served_s",
            ("A", "B"),
            _watched(draw(random, 6), watched_s),
            _watched(draw(random, 7), watched_s),
        ).finding
        != "no difference shown"
        for _ in range(rounds)
    )
    assert shown / rounds < 0.05 + 3 * math.sqrt(0.05 * 0.95 / rounds)


def _watched(true: Sequence[float], watched_s: float) -> list[Felt]:
    return [Felt(float(one)) if one <= watched_s else Felt(None, watched_s) for one in true]


@pytest.mark.parametrize("seed", range(20))
def test_the_interval_contains_that_of_any_missing_values(seed: int) -> None:
    """A missing value may have come at any time after the watch."""
    random = np.random.default_rng(seed)
    a, b = random.exponential(4, 6), random.exponential(4, 5)
    low, high = interval(_watched(a, 6.0), _watched(b, 5.0))
    for _ in range(30):
        guess_a = [one if one <= 6 else 6 + random.exponential(20) for one in a]
        guess_b = [one if one <= 5 else 5 + random.exponential(20) for one in b]
        full = between(guess_a, guess_b)
        assert full is not None
        assert low is None or low <= full.low
        assert high is None or high >= full.high


def test_missing_values_are_longer_than_all_others() -> None:
    served, away = felt([2.0, 2.1, 2.2, 2.3, 2.5]), felt([], [60.0] * 5)
    worse = shift("served_s", ("A", "B"), served, away)
    assert worse.finding == "worse"
    assert worse.b.model_dump() == {"number": 5, "missing": 5, "median": None}
    assert worse.shift is None
    assert worse.low == pytest.approx(60 - 2.5)  # the third smallest of 25: five are at least that
    assert worse.high is None
    assert worse.p == pytest.approx(2 / math.comb(10, 5))
    better = shift("served_s", ("A", "B"), away, served)
    assert (better.finding, better.low, better.high) == ("better", None, pytest.approx(2.5 - 60))
    same = shift("served_s", ("A", "B"), away, away)
    assert (same.finding, same.shift, same.low, same.high, same.p) == (
        *("no difference shown", 0.0, None, None),
        1.0,
    )


def test_watching_too_shortly_shows_no_difference() -> None:
    """Not being back after 1 s does not prove more than 5 s, whatever the ranks say."""
    found = shift("served_s", ("A", "B"), felt([5.0, 5.1, 5.2, 5.3, 5.4]), felt([], [1.0] * 5))
    assert found.p < 0.05
    assert found.low is not None
    assert found.low < 0
    assert found.finding == "no difference shown"
