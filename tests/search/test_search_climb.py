"""Short levels on the way up: believed far from every limit, otherwise measured in full."""

from dataclasses import replace

import pytest
from synthetic import answering, logistic, observed, play, requests

from headcount.analyse.search import Observation, Request, Settings, Share
from headcount.analyse.search.light import is_light


def up(asked: list[Request]) -> list[tuple[str, int]]:
    return [(r.purpose, r.users) for r in asked if r.purpose in ("climb", "probe")]


def test_levels_far_from_the_limit_take_seconds() -> None:
    search, asked = play(Settings(), answering(logistic(30_000)))
    climbs = [t for t in search.taken if t.request.purpose == "climb"]
    assert [t.request.measure_s for t in climbs] == [5.0] * len(climbs)
    assert [t.observation.valid for t in climbs] == [True] * (len(climbs) - 1) + [False]
    assert up(asked)[-2:] == [("climb", 40_960), ("probe", 40_960)]
    assert search.outcome().estimate == pytest.approx(30_000, rel=0.01)


def test_a_climb_that_is_not_light_does_not_count() -> None:
    share = logistic(940)

    def answer(request: Request) -> Observation:
        total = requests(request)
        # The climb to 160 users fails, although the server holds them.
        bad = 0.9 if request.purpose == "climb" and request.users == 160 else share(request.users)
        return observed(request, Share("response", round(bad * total), total, 0.05))

    search, asked = play(Settings(), answer)
    assert up(asked)[:5] == [
        ("probe", 10),
        ("climb", 40),
        ("climb", 160),
        ("probe", 160),
        ("climb", 320),
    ]
    outcome = search.outcome()
    assert outcome.estimate == pytest.approx(940, rel=0.01)
    assert (outcome.flags, outcome.left_out) == ((), ())


def test_a_climb_that_the_generator_limits_is_repeated_in_full() -> None:
    plain = answering(logistic(940))

    def answer(request: Request) -> Observation:
        return replace(plain(request), valid=request.purpose != "climb")

    search, asked = play(Settings(), answer)
    assert up(asked)[:5] == [
        ("probe", 10),
        ("climb", 40),
        ("probe", 40),
        ("climb", 160),
        ("probe", 160),
    ]
    assert search.outcome().estimate == pytest.approx(940, rel=0.01)


def test_max_users_are_measured_in_full() -> None:
    _, asked = play(Settings(max_users=500), answering(logistic(9_400)))
    assert up(asked) == [
        ("probe", 10),
        ("climb", 40),
        ("climb", 160),
        ("climb", 320),
        ("probe", 500),
    ]


@pytest.mark.parametrize(
    ("bad", "response_s", "stalls", "expected"),
    [
        (0, 0.029, (), True),
        (0, 0.031, (), False),
        (3, 0.02, (), False),
        (0, 0.02, ((2.0, 3.0),), False),
    ],
)
def test_levels_that_are_light(
    bad: int, response_s: float, stalls: tuple[tuple[float, float], ...], expected: bool
) -> None:
    first = observed(Request(10, 30.0, "probe", True), Share("response", 0, 60, 0.05))
    level = replace(
        observed(Request(40, 5.0, "climb", False), Share("response", bad, 200, 0.05)),
        response_mean_s=response_s,
        stalls=stalls,
    )
    assert is_light([first], level) is expected
