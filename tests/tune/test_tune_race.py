"""Racing: who wins, how often by chance, and which gains can be shown."""

import math
import random

import numpy as np
import pytest
from scipy import stats

from headcount.tune.race import (
    MOST,
    Spread,
    gain_of,
    judge,
    judge_without,
    smallest_gain,
    spread_of,
    worth,
)


def race_outcome(gain: float, spread: float, rng: random.Random, known: int = 4) -> str:
    """The outcome of a race whose challenger has this true gain."""
    noise = [rng.gauss(0, spread) for _ in range(known)]
    gains: list[float] = []
    while True:
        gains.append(rng.gauss(gain, spread))
        found = spread_of([noise, gains])
        assert found is not None
        judgement = judge(gains, found)
        if judgement != "go on":
            assert len(gains) <= MOST
            return judgement


def test_the_spread_is_pooled_over_all_races() -> None:
    races = [[0.1, 0.3, 0.2], [1.0, 1.2], [5.0]]
    found = spread_of(races)
    expected = math.sqrt((0.02 + 0.02) / 3)
    assert found is not None
    assert found.value == pytest.approx(expected)
    assert found.freedom == 3
    assert spread_of([[1.0], []]) is None


def test_bounds_are_those_of_student() -> None:
    gains = [0.05, 0.10, 0.08, 0.02]
    found = gain_of(gains, Spread(float(np.std(gains, ddof=1)), 3), 0.95)
    low, high = stats.t.interval(0.90, 3, np.mean(gains), stats.sem(gains))
    assert (found.low, found.high) == pytest.approx((low, high))


def test_a_large_gain_wins_and_none_rarely_does() -> None:
    rng = random.Random(3)
    wins = sum(race_outcome(0.25, 0.06, rng) == "better" for _ in range(400))
    assert wins >= 390
    chance = sum(race_outcome(0.0, 0.06, rng) == "better" for _ in range(1000))
    assert chance <= 60
    assert sum(race_outcome(-0.2, 0.06, rng) == "better" for _ in range(400)) == 0


def test_a_negligible_gain_does_not_win() -> None:
    assert judge([0.011] * 8, Spread(0.001, 11)) == "not better"


def test_a_race_ends_early_that_cannot_be_proved() -> None:
    spread, smallest = Spread(0.1, 12), 1.36
    assert worth(smallest) == pytest.approx(math.log(1.36) / 2)
    assert worth(1.02) == worth(1.01) == pytest.approx(math.log(1.02))
    assert worth(None) == pytest.approx(math.log(3) / 2)
    assert judge([0.03, 0.05], spread) == "go on"
    assert judge([0.03, 0.05], spread, worth(smallest)) == "not better"
    assert judge([0.15, 0.25], spread, worth(smallest)) == "go on"
    assert judge([0.15, 0.25, 0.2, 0.3], spread, worth(smallest)) == "better"


def test_the_smallest_gain_is_proved_four_times_out_of_five() -> None:
    found = smallest_gain(0.06, 6)
    assert found is not None
    rng = np.random.default_rng(1)
    seen = 0
    for _ in range(2000):
        gains = rng.normal(math.log(found), 0.06, 6)
        seen += abs(stats.ttest_1samp(gains, 0).statistic) > stats.t.ppf(0.995, 5)
    assert 0.75 < seen / 2000 < 0.86
    more = smallest_gain(0.06, 20)
    assert more is not None
    assert more < found
    assert smallest_gain(2.0, 6) is None


def test_a_change_stays_if_taking_it_back_is_worse() -> None:
    spread = Spread(0.02, 20)
    assert judge_without([-0.2, -0.21], spread) == "worse"
    assert judge_without([0.03, 0.05], spread) == "no worse"
    assert judge_without([-0.02, -0.01], spread) == "go on"
    assert judge_without([-0.01] * 6, spread) == "no worse"
