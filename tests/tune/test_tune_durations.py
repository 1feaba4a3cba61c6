"""How long scenarios take, as earlier turns show it."""

import math

from tuned_server import switch

from headcount.tune.change import AS_IT_IS, Configuration
from headcount.tune.durations import LONGEST_SETTLE_S, Durations, least_settle_s
from versus_levels import level

CHANGED = Configuration({switch("a"): "on"})


def test_the_last_turn_most_like_the_next_one_counts() -> None:
    durations = Durations()
    assert durations.scenario_s(AS_IT_IS, 60) == 0
    durations.add(AS_IT_IS, level(1, 60, 500, rate_per_s=12))
    durations.add(AS_IT_IS, level(2, 90, 500, rate_per_s=10))
    assert durations.scenario_s(CHANGED, 60) == 5  # the load counts where no turn was like it
    durations.add(CHANGED, level(3, 60, 500, rate_per_s=600))
    assert durations.scenario_s(CHANGED, 90) == 0.15
    assert durations.scenario_s(AS_IT_IS, 60) == 5
    assert durations.scenario_s(AS_IT_IS, 90) == 9
    assert durations.scenario_s(AS_IT_IS, 120) == 12


def test_users_may_think_but_not_wait_for_longer_than_a_turn_settles() -> None:
    durations = Durations()
    assert not durations.is_too_slow(AS_IT_IS, 600)
    turn = level(1, 200, 500, rate_per_s=10).model_copy(update={"think_mean_s": 10.0})
    durations.add(AS_IT_IS, turn)  # they wait for 10 s
    assert not durations.is_too_slow(AS_IT_IS, 250)
    assert durations.is_too_slow(AS_IT_IS, 251)


def test_a_turn_settles_longer_after_a_restart_and_as_long_as_two_scenarios() -> None:
    settled = [
        [
            least_settle_s(measure_s, is_back=is_back, restarted=restarted)
            for measure_s in (0.5, 3, 9)
        ]
        for is_back, restarted in ((False, False), (True, False), (True, True))
    ]
    assert settled == [[0.5, 1, 1], [0.5, 2, 2], [1, 5, 5]]
    durations = Durations()
    durations.add(AS_IT_IS, level(1, 60, 500, rate_per_s=12))
    assert durations.steady_s(AS_IT_IS, 60) == 10
    durations.add(AS_IT_IS, level(2, 60, 500, rate_per_s=0))
    assert durations.steady_s(AS_IT_IS, 60) == LONGEST_SETTLE_S


def test_a_turn_in_which_nobody_finishes_is_too_slow() -> None:
    durations = Durations()
    durations.add(AS_IT_IS, level(1, 60, 500, rate_per_s=0))
    assert durations.scenario_s(AS_IT_IS, 60) == math.inf
    assert durations.is_too_slow(AS_IT_IS, 60)
