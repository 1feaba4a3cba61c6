"""Capacities of a few users: counted against exact binomial arithmetic, and by whole searches."""

import math
import random

import pytest
from scipy.stats import beta
from synthetic import observed, play, requests

from headcount.analyse.search import Observation, Request, Settings, Share, Value
from headcount.analyse.search.counted import ALIKE, crossing, sure_ends
from headcount.analyse.search.observation import Observation as Level


def results(*levels: tuple[int, int, int]) -> list[tuple[Level, Share]]:
    """Levels of these users, with their bad scenarios and all their scenarios."""
    return [
        (
            observed(Request(users, 60.0, "straddle", may_stop_early=False), share),
            share,
        )
        for users, bad, total in levels
        for share in [Share("response", bad, total, 0.05)]
    ]


def test_an_end_is_sure_by_its_exact_interval() -> None:
    for bad, total in ((0, 60), (0, 120), (2, 200), (6, 60), (12, 60), (3, 60)):
        low, high = sure_ends(results((2, bad, total)))
        posterior = beta(bad / ALIKE + 0.5, (total - bad) / ALIKE + 0.5)
        assert (low == 2) == (posterior.ppf(0.975) < 0.05)
        assert (high == 2) == (posterior.ppf(0.025) > 0.05)


def test_levels_of_equal_users_count_together() -> None:
    assert sure_ends(results((2, 0, 60), (3, 1, 50))) == (0, math.inf)
    assert sure_ends(results((2, 0, 60), (2, 0, 60), (2, 0, 60), (4, 30, 60))) == (2, 4)


def test_the_share_crosses_between_two_numbers() -> None:
    found = crossing(results((2, 10, 1000), (3, 38, 1000), (4, 95, 1000), (6, 400, 1000)))
    # By hand, of the logits of 3.8 % and 9.5 % over ln 3 and ln 4.
    assert found == pytest.approx(3.26, abs=0.03)


def test_levels_out_of_order_are_pooled() -> None:
    found = crossing(results((2, 0, 100), (3, 6, 100), (4, 2, 100), (5, 30, 100)))
    assert found is not None
    assert 4 <= found < 5


@pytest.mark.parametrize("capacity", [2.4, 3.35, 5.5])
def test_the_interval_of_a_few_users_covers_the_truth_and_leaves_some_out(capacity: float) -> None:
    held, widths = 0, []
    for seed in range(20):
        chance = random.Random(seed)

        def answer(request: Request, chance: random.Random = chance) -> Observation:
            share = 1 / (1 + 19 * (capacity / request.users) ** 4)
            total = requests(request)
            bad = sum(chance.random() < share for _ in range(total))
            return observed(request, Share("response", bad, total, 0.05))

        search, asked = play(Settings(), answer)
        outcome = search.outcome()
        held += outcome.low <= capacity <= outcome.high
        widths.append(min(outcome.high, 10.0) - outcome.low)
        assert outcome.published <= 10
        assert len(asked) <= 30
    assert held >= 18
    assert sorted(widths)[10] <= 6


def test_a_mean_of_a_few_users_is_not_counted() -> None:
    def answer(request: Request) -> Observation:
        return observed(request, Value("mean", 2.0 ** (request.users - 4.5), 1.0))

    outcome = play(Settings(), answer)[0].outcome()
    assert outcome.low <= 4.5 <= outcome.high < 6
    assert outcome.published == 4
