"""What widens the interval beyond the scatter of the levels."""

import math
from dataclasses import replace

import pytest
from synthetic import answering, logistic, observed, play

from headcount.analyse.search import Observation, Request, Settings, Share
from headcount.analyse.search.regression import SLOPE, USUAL_SPREAD
from headcount.analyse.search.widening import widened

NAME = "response"


def level(users: int, share: float = 0.05, seconds: float = 60.0, **more: object) -> Observation:
    bad = Share(NAME, share * 10_000, 10_000, 0.05)
    request = Request(users, seconds, "straddle", may_stop_early=False)
    return replace(observed(request, bad), **more)


def test_a_quiet_server_widens_nothing() -> None:
    quiet = [level(100), level(104, 0.12), level(97, 0.02)]
    assert widened((98.0, 103.0), NAME, quiet) == ((98.0, 103.0), ())


def test_lost_cpu_raises_the_upper_end_and_lowers_the_lower_end() -> None:
    # 40 % of the CPUs lost in one level, 20 % in the other: alone it holds 1 / 0.6 of it at most;
    # with the heavier neighbour all the time 0.6 / 0.8 at least.
    near = [level(100, cpu_lost=0.4), level(103, cpu_lost=0.2)]
    (low, high), causes = widened((98.0, 103.0), NAME, near)
    assert (low, high) == pytest.approx((98.0 * 0.6 / 0.8, 103.0 / 0.6))
    assert causes == ("other work on the machine",)


def test_work_during_levels_far_from_the_interval_does_not_count() -> None:
    assert widened((98.0, 103.0), NAME, [level(50, cpu_lost=0.4), level(100)])[1] == ()


def test_a_drifting_level_widens_by_half_the_difference_of_its_halves() -> None:
    batches = ((2.0, 100.0), (2.0, 100.0), (10.0, 100.0), (10.0, 100.0))
    drifting = replace(
        level(100), steady=False, constraints=(Share(NAME, 24, 400, 0.05, None, batches),)
    )
    apart = (math.log(0.1 / 0.9) - math.log(0.02 / 0.98)) / SLOPE
    (low, high), causes = widened((98.0, 103.0), NAME, [drifting])
    assert (low, high) == pytest.approx((98.0 * math.exp(-apart / 2), 103.0 * math.exp(apart / 2)))
    assert causes == ("levels that were not steady",)


def test_one_drifting_level_of_many_counts_as_the_regression_averages_it() -> None:
    longest = level(99, seconds=300.0)
    drifting = replace(level(100), steady=False)
    (_, high), _ = widened((98.0, 103.0), NAME, [drifting, longest, level(101), level(102)])
    assert high == pytest.approx(103.0 * math.exp(math.sqrt(0.025**2 / 4)))


def test_repeats_widen_by_what_chance_does_not_explain() -> None:
    near = [level(100, 0.02), level(100, 0.5)]
    apart = (0.0 - math.log(0.02 / 0.98)) / SLOPE
    extra = (apart - 2 * USUAL_SPREAD * math.sqrt(2)) / 2
    (low, high), causes = widened((98.0, 103.0), NAME, near)
    assert (low, high) == pytest.approx((98.0 * math.exp(-extra), 103.0 * math.exp(extra)))
    assert causes == ("repeated levels that disagree",)
    assert widened((98.0, 103.0), NAME, [level(100, 0.04), level(100, 0.06)])[1] == ()


def test_a_busy_neighbour_widens_the_outcome_and_leaves_an_open_end_open() -> None:
    plain = answering(logistic(940))

    def answer(request: Request) -> Observation:
        return replace(plain(request), cpu_lost=0.5)

    alone, _ = play(Settings(), plain)
    beside, _ = play(Settings(), answer)
    assert beside.outcome().high == pytest.approx(2 * alone.outcome().high)
    assert beside.outcome().widened_by == ("other work on the machine",)
    unbounded, _ = play(Settings(max_users=500), answer)
    assert math.isinf(unbounded.outcome().high)


def test_a_share_beyond_one_is_refused() -> None:
    with pytest.raises(ValueError, match="cpu_lost"):
        level(10, cpu_lost=1.5)
