"""How far the upper end allows for the load generator's own delay."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from synthetic import Answer, answering, logistic, observed, play

from headcount.analyse.search import Observation, Request, Settings, Share, Value
from headcount.analyse.search.outcome import OWN_DELAY

Certain = Callable[[int], float]


def delayed(measured: float, certain: float | Certain) -> Answer:
    """A server as it is measured, of whose bad scenarios a share is bad for certain."""
    plain = answering(logistic(measured))

    def answer(request: Request) -> Observation:
        observation = plain(request)
        (share,) = observation.constraints
        assert isinstance(share, Share)
        part = certain if isinstance(certain, float) else certain(request.users)
        return replace(observation, constraints=(replace(share, certain=part),))

    return answer


def test_without_a_delay_nothing_is_wider() -> None:
    outcome = play(Settings(), delayed(400, 1.0))[0].outcome()
    assert OWN_DELAY not in outcome.widened_by
    assert outcome == play(Settings(), answering(logistic(400)))[0].outcome()


def test_a_delay_that_is_next_to_nothing_does_not_count() -> None:
    outcome = play(Settings(), delayed(400, 0.99))[0].outcome()
    assert OWN_DELAY not in outcome.widened_by
    assert outcome.high < 400 * 1.03


@pytest.mark.parametrize(("real", "most"), [(440, 460), (500, 640)], ids=["near", "far"])
def test_the_upper_end_reaches_what_the_server_holds_without_the_delay(
    real: int, most: int
) -> None:
    # Far off, the next level that fails for certain is the bound.
    measured, truth = logistic(400), logistic(real)
    answer = delayed(400, lambda users: truth(users) / measured(users))
    plain = play(Settings(), answering(measured))[0].outcome()
    outcome = play(Settings(), answer)[0].outcome()
    assert OWN_DELAY in outcome.widened_by
    assert (outcome.estimate, outcome.published) == (plain.estimate, plain.published)
    assert outcome.low == plain.low  # a delay never makes a server look faster
    assert real <= outcome.high <= most


def test_the_own_delay_of_a_mean_is_allowed_for_too() -> None:
    def answer(request: Request) -> Observation:
        mean_s = request.users / 400
        return observed(request, Value("mean", mean_s, 1.0, 0.95 * mean_s))

    outcome = play(Settings(), answer)[0].outcome()
    assert OWN_DELAY in outcome.widened_by
    assert outcome.estimate == pytest.approx(400, rel=0.02)
    assert 400 / 0.95 * 0.999 <= outcome.high <= 440
