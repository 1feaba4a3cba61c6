"""A change is one beyond the noise of its rounds: compared with exact tests of scipy's."""

import itertools
import math

import numpy as np
import pytest
from bench.gate.change import LEAST_ROUNDS, change, interval_rank
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

FINE = 1e-9


def p_value(before: np.ndarray, after: np.ndarray) -> float:
    return float(mannwhitneyu(before, after, alternative="two-sided", method="exact").pvalue)


@pytest.mark.parametrize(("rounds", "others"), [(4, 4), (5, 5), (4, 9), (7, 5), (12, 6), (20, 20)])
def test_the_interval_is_what_the_exact_test_does_not_reject(rounds: int, others: int) -> None:
    draw = np.random.default_rng(rounds * 100 + others)
    before, after = draw.lognormal(0, 0.1, rounds), draw.lognormal(0.05, 0.2, others)
    found = change(before.tolist(), after.tolist())
    old, new = np.log(before), np.log(after)
    for end, outwards in ((math.log1p(found.low), -1), (math.log1p(found.high), 1)):
        assert p_value(old, new - (end - outwards * FINE)) > 0.05
        assert p_value(old, new - (end + outwards * FINE)) <= 0.05
    assert found.low < found.estimate < found.high


def test_of_all_orders_without_a_change_at_most_a_twentieth_is_called_one() -> None:
    for rounds, others, called in ((4, 4, 2), (5, 5, 8), (5, 6, 20), (6, 6, 46)):
        values = [1.1**number for number in range(rounds + others)]
        wrong = 0
        for chosen in itertools.combinations(range(rounds + others), rounds):
            before = [values[at] for at in chosen]
            after = [value for value in values if value not in before]
            wrong += change(before, after).verdict != "no change"
        orders = math.comb(rounds + others, rounds)
        assert wrong <= 0.05 * orders
        assert wrong >= called * 0.5


@given(
    seed=st.integers(0, 2**32),
    rounds=st.integers(LEAST_ROUNDS, 8),
    others=st.integers(LEAST_ROUNDS, 8),
    shape=st.sampled_from(["normal", "heavy", "two modes", "few values"]),
)
def test_two_samples_of_one_distribution_rarely_differ(
    seed: int, rounds: int, others: int, shape: str
) -> None:
    draw = np.random.default_rng(seed)
    size = (400, rounds + others)
    logarithms = {
        "normal": lambda: draw.normal(0, 0.03, size),
        "heavy": lambda: draw.standard_t(1.5, size) * 0.02,
        "two modes": lambda: draw.choice([0.0, 0.3], size) + draw.normal(0, 0.01, size),
        "few values": lambda: draw.integers(0, 3, size) * 0.1,
    }[shape]()
    values = np.exp(np.clip(logarithms, -20, 20))
    wrong = sum(
        change(row[:rounds].tolist(), row[rounds:].tolist()).verdict != "no change"
        for row in values
    )
    # Four standard deviations of a binomial above the 5% that are allowed.
    assert wrong <= 400 * 0.05 + 4 * math.sqrt(400 * 0.05 * 0.95)


def test_only_a_difference_beyond_the_noise_is_a_change() -> None:
    before = [0.90, 0.92, 0.91, 0.89, 0.93]
    worse = change(before, [value * 1.2 for value in before])
    assert worse.verdict == "worse"
    assert worse.estimate == pytest.approx(0.2)
    better = change([value * 1.2 for value in before], before)
    assert (better.verdict, better.estimate) == ("better", pytest.approx(1 / 1.2 - 1))
    assert change(before, [value * 1.01 for value in before]).verdict == "no change"
    assert change(before, before).verdict == "no change"
    assert change([2.0] * 5, [2.0] * 5).verdict == "no change"


def test_too_few_rounds_are_never_a_change() -> None:
    assert interval_rank(3, 3) is None
    assert interval_rank(LEAST_ROUNDS, LEAST_ROUNDS) == 1
    for rounds, others in ((3, 3), (1, 12), (12, 1), (0, 5), (5, 0)):
        found = change([1.0] * rounds, [9.0] * others)
        assert found.verdict == "too few rounds"
        assert "4 of each" in found.text


def test_texts_have_the_interval() -> None:
    before = [1.00, 1.02, 1.01, 0.99, 1.03]
    assert change(before, [value * 1.5 for value in before]).text == "50.0% worse (45.6% to 54.5%)"
    assert change(before, [value / 2 for value in before]).text == "50.0% better (48.5% to 51.5%)"
    assert change(before, before).text == "no change (-2.9% to +3.0%)"
