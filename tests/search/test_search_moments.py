"""A server that holds fewer users at times: when, how often, and how many."""

import math

import pytest
from bench.search import methods

from headcount.analyse.search import Flag, Observation, Request, Share
from headcount.analyse.search.moments import BadMoments, bad_moments
from headcount.analyse.search.observation import Taken

CLEAN, BAD = (0.0, 400.0), (380.0, 400.0)


def taken(*batches: tuple[float, float], users: int = 400, stall: bool = False) -> Taken:
    bad, total = sum(b for b, _ in batches), sum(t for _, t in batches)
    share = Share("r", bad, total, 0.05, 0.2, batches)
    stalls = ((5.0, 3.0),) if stall else ()
    found = Observation(users, 5.0 * len(batches), (share,), 80.0, 0.1, 5.0, stalls=stalls)
    return Taken(Request(users, 5.0 * len(batches), "straddle", False), found)


def moments_of(*levels: Taken, users: float = 600.0) -> BadMoments:
    return bad_moments(enumerate(levels), "r", users)


def test_neighbouring_bad_batches_are_one_moment() -> None:
    [moment] = moments_of(taken(CLEAN, BAD, BAD, CLEAN), taken(CLEAN)).moments
    assert (moment.index, moment.users, moment.after_s, moment.seconds) == (0, 400, 5.0, 10.0)
    assert (moment.first, moment.end) == (1, 3)
    # 95 % bad where 5 % are allowed, by the usual slope of 25: 2 x ln 19 / 25 below 400 users, less
    # what is not sure of the 95 %.
    assert 400 * math.exp(-2 * math.log(19) / 25) < moment.held < 400


def test_the_share_of_moments_is_of_the_time_in_which_they_would_show() -> None:
    few = taken(CLEAN, users=100)
    assert moments_of(few, taken(BAD, CLEAN), taken(CLEAN, BAD)).share == pytest.approx(0.5)


def test_a_single_moment_is_not_often() -> None:
    once = moments_of(taken(BAD, CLEAN))
    assert not once.are_often
    assert math.isinf(once.held)
    twice = moments_of(taken(BAD, CLEAN), taken(BAD, CLEAN, users=300))
    assert twice.are_often
    assert 300 < twice.held < 400  # the worst alone decides nothing


@pytest.mark.parametrize(
    "level",
    [
        taken(CLEAN, (1.0, 10.0)),  # too few to be certain
        taken(CLEAN, BAD, users=590),  # near the capacity, ten seconds may fail by chance
        taken(BAD, BAD, users=700),  # more than it holds at any time
        taken(CLEAN, BAD, stall=True),  # that is a stall
    ],
)
def test_chance_makes_no_bad_moments(level: Taken) -> None:
    assert moments_of(level, level).moments == ()


def test_a_search_reports_the_capacity_in_bad_moments_and_otherwise() -> None:
    """A job takes two fifths of the speed for 30 s in each 8 min: 950 users, 570 during the job."""
    found = methods.METHODS["search"]("backup", 8)
    assert Flag.UNEVEN in found.outcome.flags
    assert found.is_covered
    assert found.outcome.moments.held < 0.8 * found.outcome.otherwise
    assert found.outcome.otherwise == pytest.approx(950, rel=0.1)
    assert 0.04 < found.outcome.moments.share < 0.15  # queues last longer than the job


def test_a_steady_server_has_no_bad_moments() -> None:
    found = methods.METHODS["search"]("cpu", 3).outcome
    assert found.moments.moments == ()
    assert Flag.UNEVEN not in found.flags
    assert found.otherwise == found.estimate


def test_a_first_look_allows_for_what_it_cannot_see() -> None:
    """The server warms up for longer than the look lasts."""
    found = methods.METHODS["quick"]("warm-up", 5)
    assert found.is_covered
    assert found.outcome.low <= 0.5 * found.outcome.estimate
    assert found.outcome.high >= 1.6 * found.outcome.estimate
