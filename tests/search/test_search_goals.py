"""Goals: a throughput that a few users cannot reach, in a search for the most users."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from synthetic import answering, logistic, play

from headcount.analyse.search import Observation, Request, Search, Settings, Value

GOAL = "bytes>=30MB/s"


def with_goal(
    capacity: float, megabytes_per_s: Callable[[int], float]
) -> tuple[Search, list[Request]]:
    """A search on a server that moves this many megabytes a second for its users."""
    answer = answering(logistic(capacity))

    def goal(request: Request) -> Observation:
        moved = megabytes_per_s(request.users)
        return replace(answer(request), goals=(Value(GOAL, 30.0 / max(moved, 1e-9), 1.0),))

    return play(Settings(criteria=("response", GOAL)), goal)


def test_few_users_below_the_goal_do_not_end_the_search() -> None:
    search, _ = with_goal(940, lambda users: users / 10)
    outcome = search.outcome()
    assert outcome.estimate == pytest.approx(940, rel=0.005)
    assert outcome.published > 900
    assert outcome.missed == ()
    assert outcome.binding == "response"
    small = [search.taken[index].observation.users for index in outcome.short_of_goals]
    assert small
    assert max(small) < 300


def test_a_goal_beyond_the_capacity_is_missed_by_it() -> None:
    search, _ = with_goal(240, lambda users: users / 10)
    outcome = search.outcome()
    assert outcome.estimate == pytest.approx(240, rel=0.01)
    assert outcome.missed == (GOAL,)


def test_throughput_that_falls_below_a_goal_bounds_the_capacity() -> None:
    def moved(users: int) -> float:
        return users / 10 if users <= 600 else 60.0 * (600 / users) ** 3

    search, _ = with_goal(5000, moved)
    outcome = search.outcome()
    # 60 MB/s x (600 / users) ** 3 is 30 MB/s at 756 users.
    assert outcome.low <= 756 <= outcome.high
    assert outcome.half_width < 0.05
    assert outcome.binding == GOAL
    assert outcome.missed == ()


def test_a_throughput_near_the_goal_is_not_a_limit_by_chance() -> None:
    search, asked = with_goal(
        940, lambda users: min(users / 10, 30.0) * (1 + 0.01 * (users % 3 - 1))
    )
    outcome = search.outcome()
    assert outcome.estimate == pytest.approx(940, rel=0.005)
    assert len(asked) < 40
