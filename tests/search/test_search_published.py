"""The published number: a level that ran and passed, whatever ends the search."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic import answering, logistic, observed, play, requests

from headcount.analyse.search import Observation, Request, Search, Settings, Share


def passed_users(search: Search) -> set[int]:
    return {
        t.observation.users for t in search.taken if t.observation.passed and t.observation.valid
    }


def noisy(capacity: float, seed: int, spread: float):
    stream = random.Random(seed)

    def answer(request: Request) -> Observation:
        total = requests(request)
        share = logistic(capacity * math.exp(stream.gauss(0, spread)))(request.users)
        return observed(request, Share("response", round(share * total), total, 0.05))

    return answer


@given(
    capacity=st.floats(1, 3_000),
    spread=st.sampled_from([0.0, 0.03, 0.2]),
    quick=st.booleans(),
    left=st.integers(0, 40),
    seed=st.integers(0, 1_000),
)
def test_the_published_level_ran_passed_and_lies_in_the_interval(
    capacity: float, spread: float, quick: bool, left: int, seed: int
) -> None:
    search = Search(Settings.first_look() if quick else Settings())
    answer = noisy(capacity, seed, spread)
    for _ in range(left):
        request = search.next()
        if request is None:
            break
        search.observe(answer(request))
    outcome = search.outcome()
    if outcome.published:
        assert outcome.published in passed_users(search)
        assert outcome.low <= outcome.published <= outcome.high
    assert outcome.published or not outcome.confirmed


@pytest.mark.parametrize("quick", [False, True])
def test_a_failed_official_level_sends_the_number_down_and_another_is_run(quick: bool) -> None:
    plain = answering(logistic(940))
    failures = {"left": 1}

    def answer(request: Request) -> Observation:
        if request.purpose == "official" and failures["left"]:
            failures["left"] -= 1
            return observed(request, Share("response", 10, 100, 0.05))
        return plain(request)

    settings = Settings.first_look(budget_s=400.0) if quick else Settings()
    search, asked = play(settings, answer)
    officials = [request.users for request in asked if request.purpose == "official"]
    assert len(officials) == 2
    assert officials[1] < officials[0]
    assert search.outcome().published == officials[1]
    assert search.outcome().confirmed


def test_without_an_official_level_the_largest_pass_below_the_estimate_is_published() -> None:
    search, _ = play(Settings(official_s=0.0, curve=()), answering(logistic(940)))
    outcome = search.outcome()
    below = [users for users in passed_users(search) if users <= outcome.estimate]
    assert outcome.published == max(below)
    assert not outcome.confirmed


def test_only_levels_below_failed_official_levels_are_published() -> None:
    plain = answering(logistic(940))

    def answer(request: Request) -> Observation:
        if request.purpose == "official":
            return observed(request, Share("response", 6, 100, 0.05))
        return plain(request)

    search, asked = play(Settings(), answer)
    lowest = min(request.users for request in asked if request.purpose == "official")
    assert 0 < search.outcome().published < lowest
