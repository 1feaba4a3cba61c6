"""Servers that an overload keeps down, and servers that recover."""

from collections.abc import Callable

import pytest
from synthetic import Answer, answering, logistic, play

from headcount.analyse.search import Flag, Observation, Request, Settings


def stuck(capacity: float) -> Answer:
    """A server that stays overloaded after an overload until all users have left."""
    share = logistic(capacity)
    down = [False]

    def answer(request: Request) -> Observation:
        if request.is_rested:
            down[0] = False
        down[0] = down[0] or share(request.users) > 0.5
        return answering((lambda _: 0.99) if down[0] else share)(request)

    return answer


@pytest.mark.parametrize("capacity", [240, 560, 940])
def test_a_server_that_stays_down_is_rested_and_found(capacity: int) -> None:
    search, asked = play(Settings(), stuck(capacity))
    outcome = search.outcome()
    assert outcome.estimate == pytest.approx(capacity, rel=0.01)
    assert outcome.low <= capacity <= outcome.high
    assert outcome.confirmed
    assert Flag.LINGERS in outcome.flags
    assert any(request.is_rested for request in asked)
    (down,) = [one for one in outcome.left_out if one.overloaded_by is not None]
    assert down.users < (down.overloaded_by or 0)
    assert asked[down.index + 1].users == down.users
    assert asked[down.index + 1].is_rested


@pytest.mark.parametrize(
    "share",
    [logistic(940), logistic(560), lambda users: float(users > 700)],
    ids=["large", "small", "cliff"],
)
def test_a_server_that_recovers_is_tested_at_most_once(share: Callable[[float], float]) -> None:
    search, asked = play(Settings(), answering(share))
    outcome = search.outcome()
    assert Flag.LINGERS not in outcome.flags
    assert outcome.left_out == ()
    users = [r.users for r in asked if r.purpose in ("probe", "bracket")]
    assert len(users) - len(set(users)) <= 1


def test_only_a_level_right_after_an_overload_begins_without_users() -> None:
    search, asked = play(Settings(), stuck(560))
    for before, request in zip(search.taken, asked[1:], strict=False):
        if request.is_rested:
            (share,) = before.observation.constraints
            assert share.share > 0.5  # type: ignore[union-attr]


def reluctant(capacity: float, recovers: float) -> Answer:
    """A server that an overload keeps down until at most `recovers` users are left."""
    share = logistic(capacity)
    down = [False]

    def answer(request: Request) -> Observation:
        down[0] = request.users > recovers and not request.is_rested and down[0]
        down[0] = down[0] or share(request.users) > 0.5
        return answering((lambda _: 0.99) if down[0] else share)(request)

    return answer


@pytest.mark.parametrize("recovers", [700, 400, 150])
def test_the_users_with_whom_a_server_recovers_are_found(recovers: int) -> None:
    search, asked = play(Settings(), reluctant(940, recovers))
    outcome = search.outcome()
    found = outcome.recovery
    assert found is not None
    assert found.recovers_at is not None
    assert found.recovers_at <= recovers < found.down_at
    assert found.down_at <= found.recovers_at / 0.74
    assert found.overload > 940
    levels = [r for r in asked if r.purpose == "recovery"]
    assert [r.users for r in levels][:1] == [found.overload]
    assert not any(r.is_rested for r in levels)
    # Those levels say nothing about the capacity.
    assert outcome.low <= 940 <= outcome.high
    assert outcome.confirmed


def test_a_server_that_never_recovers_is_given_up() -> None:
    search, asked = play(Settings(), reluctant(940, 0))
    found = search.outcome().recovery
    assert found is not None
    assert found.recovers_at is None
    assert found.down_at < 940 / 10
    assert sum(r.purpose == "recovery" for r in asked) < 14


@pytest.mark.parametrize("settings", [Settings(quick=True), Settings(budget_s=600.0)])
def test_a_search_with_little_time_does_not_test_recovery(settings: Settings) -> None:
    search, asked = play(settings, reluctant(940, 400))
    assert not any(r.purpose == "recovery" for r in asked)
    assert search.outcome().recovery is None


def test_a_server_that_recovers_by_itself_is_not_overloaded_again() -> None:
    search, asked = play(Settings(), answering(logistic(940)))
    assert not any(r.purpose == "recovery" for r in asked)
    assert search.outcome().recovery is None
