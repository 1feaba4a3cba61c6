"""What the search asks for, and what it says, on servers given by a formula."""

import math
from dataclasses import replace

import pytest
from synthetic import answering, logistic, observed, play, requests

from headcount.analyse.search import (
    Flag,
    Observation,
    Overhead,
    Request,
    Search,
    Settings,
    Share,
    Value,
)


def test_a_search_grows_narrows_straddles_confirms_and_draws_the_curve():
    search, asked = play(Settings(), answering(logistic(940)))
    purposes = list(dict.fromkeys(request.purpose for request in asked))
    assert purposes == ["probe", "climb", "bracket", "straddle", "official", "curve"]
    up = [(r.users, r.purpose) for r in asked if r.purpose in ("climb", "probe")]
    assert up[0] == (10, "probe")
    assert up[1:-1] == [(users, "climb") for users in (40, 160, 320, 640, 1280)]
    assert up[-1] == (1280, "probe")
    outcome = search.outcome()
    assert outcome.estimate == pytest.approx(940, rel=0.005)
    assert outcome.low < 940 < outcome.high
    assert outcome.half_width <= 0.022
    assert outcome.binding == "response"
    assert outcome.confirmed
    assert outcome.flags == ()
    official = next(r for r in asked if r.purpose == "official")
    assert outcome.published == official.users <= outcome.estimate
    assert official.measure_s == 300
    assert not official.may_stop_early
    curve = [r.users / outcome.estimate for r in asked if r.purpose == "curve"]
    assert all(0.2 < share < 1.3 for share in curve)


def test_straddling_levels_lie_on_both_sides_in_turn():
    search, asked = play(Settings(), answering(logistic(940)))
    straddling = [r.users for r in asked if r.purpose == "straddle"]
    sides = [users < search.outcome().estimate for users in straddling]
    assert sides[::2] == [True] * len(sides[::2])
    assert sides[1::2] == [False] * len(sides[1::2])


@pytest.mark.parametrize("capacity", [1.5, 3.4, 7.9, 12.0, 29.5])
def test_small_capacities(capacity):
    settings = Settings(start_users=1, max_users=10_000)
    search, asked = play(settings, answering(logistic(capacity, slope=8)))
    outcome = search.outcome()
    assert outcome.low <= capacity <= outcome.high
    assert math.floor(outcome.estimate) in {math.floor(capacity), math.floor(capacity - 0.5)}
    assert 0 <= outcome.published <= capacity
    assert len(asked) <= settings.cap + 8


@pytest.mark.parametrize("capacity", [3, 12, 700])
def test_a_cliff_is_narrowed_without_useless_repeats(capacity):
    search, asked = play(Settings(), answering(lambda users: float(users > capacity)))
    outcome = search.outcome()
    assert outcome.low <= capacity + 1
    assert capacity <= outcome.high
    assert outcome.half_width <= max(0.022, 0.51 / capacity * 1.2)
    assert outcome.confirmed
    assert outcome.published <= capacity
    users = [r.users for r in asked if r.purpose in ("probe", "bracket", "straddle")]
    # The first overload after an overload is run again, and a few users are counted.
    assert len(users) - len(set(users)) <= 2
    assert len(asked) < 30


def test_failing_with_a_single_user():
    search, asked = play(Settings(), answering(lambda _: 1.0))
    outcome = search.outcome()
    assert (outcome.low, outcome.high, outcome.published) == (0, 1, 0)
    assert Flag.FAILS_AT_ONE in outcome.flags
    assert asked[-1].users == 1


def test_starting_above_the_capacity_goes_down():
    search, _ = play(Settings(start_users=2_000), answering(logistic(300)))
    assert search.outcome().low <= 300 <= search.outcome().high


def test_max_users_gives_a_lower_bound_that_an_official_level_confirms():
    search, asked = play(Settings(max_users=500), answering(logistic(940)))
    outcome = search.outcome()
    assert outcome.low == 500
    assert math.isinf(outcome.high)
    assert outcome.published == 500
    assert outcome.confirmed
    assert outcome.binding is None
    assert Flag.MAX_USERS in outcome.flags
    assert max(r.users for r in asked) == 500


def limited_above(users: int):
    plain = answering(logistic(5_000))

    def answer(request):
        return replace(plain(request), valid=request.users <= users)

    return answer


def test_the_generators_limit_is_found_and_named():
    search, asked = play(Settings(), limited_above(1_000))
    outcome = search.outcome()
    assert Flag.GENERATOR_LIMITED in outcome.flags
    assert 850 <= outcome.low <= 1_000
    assert math.isinf(outcome.high)
    assert outcome.published <= 1_000
    assert len(asked) < 20


def test_repeatedly_invalid_levels_end_the_search():
    search = Search(Settings(climb_s=0.0))
    search.observe(answering(logistic(900))(search.next()))
    first = search.next()
    search.observe(observed(first, valid=False))
    while (request := search.next()) is not None:
        search.observe(observed(request, valid=False))
    assert Flag.GENERATOR_LIMITED in search.outcome().flags
    assert search.outcome().low == 10
    assert len(search.taken) <= 7


def test_one_invalid_level_bounds_nothing_before_it_was_repeated():
    plain = answering(logistic(900))
    hiccup = {"left": 1}

    def answer(request: Request) -> Observation:
        if request.users == 40 and hiccup["left"]:
            hiccup["left"] -= 1
            return observed(request, valid=False)
        return plain(request)

    search, asked = play(Settings(), answer)
    assert [request.users for request in asked[:4]] == [10, 40, 40, 160]
    assert Flag.GENERATOR_LIMITED not in search.outcome().flags
    assert search.outcome().estimate == pytest.approx(900, rel=0.02)


def test_a_second_invalid_level_is_believed():
    search = Search(Settings(climb_s=0.0))
    search.observe(answering(logistic(900))(search.next()))
    for expected in (40, 40):
        request = search.next()
        assert request.users == expected
        search.observe(observed(request, valid=False))
    assert 10 < search.next().users < 40


def test_an_invalid_level_never_counts():
    plain = answering(logistic(940))
    hiccup = {"left": 1}

    def answer(request: Request) -> Observation:
        if request.purpose == "straddle" and hiccup["left"]:
            hiccup["left"] -= 1
            return observed(request, Share("response", 1, 1, 0.05), valid=False)
        return plain(request)

    search, _ = play(Settings(), answer)
    assert search.outcome().estimate == pytest.approx(940, rel=0.01)
    assert search.outcome().confirmed


def test_the_binding_constraint_is_the_least_and_named():
    def answer(request: Request) -> Observation:
        total = requests(request)
        slow = round(logistic(940)(request.users) * total)
        failed = round(logistic(700, allowed=0.01)(request.users) * total)
        return observed(
            request, Share("p95", slow, total, 0.05), Share("errors", failed, total, 0.01)
        )

    outcome = play(Settings(criteria=("p95", "errors")), answer)[0].outcome()
    assert outcome.binding == "errors"
    assert outcome.low <= 700 <= outcome.high


def test_a_cliff_of_errors_below_the_limit_of_response_binds():
    def answer(request: Request) -> Observation:
        total = requests(request)
        slow = round(logistic(940)(request.users) * total)
        failed = total // 2 if request.users > 905 else 0
        return observed(request, Share("p95", slow, total, 0.05), Share("errors", failed, total, 0))

    outcome = play(Settings(), answer)[0].outcome()
    assert outcome.binding == "errors"
    assert outcome.low <= 906
    assert outcome.high >= 905
    assert outcome.published <= 905


def test_a_mean_is_searched_by_its_value():
    def answer(request: Request) -> Observation:
        load = min(request.users / 1_000, 0.999)
        return observed(request, Value("mean", 0.020 / (1 - load), 0.200))

    outcome = play(Settings(), answer)[0].outcome()
    assert outcome.estimate == pytest.approx(900, rel=0.02)
    assert outcome.low <= 900 <= outcome.high
    assert outcome.binding == "mean"


def test_a_few_slow_requests_at_ten_users_do_not_send_the_search_below_ten():
    plain = answering(logistic(940))

    def answer(request: Request) -> Observation:
        if request.users == 10:
            return observed(request, Share("response", 4, 60, 0.05))
        return plain(request)

    assert play(Settings(), answer)[0].outcome().estimate == pytest.approx(940, rel=0.01)


def test_a_server_that_fails_every_official_level_is_unstable():
    plain = answering(logistic(940))

    def answer(request: Request) -> Observation:
        if request.purpose == "official":
            total = requests(request)
            return observed(request, Share("response", total * 0.06, total, 0.05))
        return plain(request)

    search, asked = play(Settings(), answer)
    officials = [r.users for r in asked if r.purpose == "official"]
    assert len(officials) == 3
    assert officials == sorted(officials, reverse=True)
    assert len(set(officials)) == 3
    assert Flag.UNSTABLE in search.outcome().flags
    assert not search.outcome().confirmed


def test_a_budget_is_kept_and_flagged_as_spent():
    settings = Settings(budget_s=750.0)
    search, _ = play(settings, answering(logistic(940, slope=10)))
    outcome = search.outcome()
    assert outcome.seconds <= 750.0
    assert Flag.BUDGET_SPENT in outcome.flags
    assert outcome.low <= 940 <= outcome.high


def test_the_cap_ends_a_search():
    search, _ = play(Settings(cap=9, curve=()), answering(logistic(940)))
    outcome = search.outcome()
    assert Flag.CAP_REACHED in outcome.flags
    assert outcome.levels <= 12
    assert outcome.low <= 940 <= outcome.high


def test_a_first_look_takes_three_minutes():
    settings = Settings.first_look()

    def answer(request: Request) -> Observation:
        previous = search.taken[-1].observation.users if search.taken else 0
        level = answering(logistic(940))(request)
        return replace(level, overhead_s=settings.overhead.seconds(previous, request.users))

    search = Search(settings)
    while (request := search.next()) is not None:
        search.observe(answer(request))
    outcome = search.outcome()
    assert 120 <= outcome.seconds <= 180
    assert outcome.confirmed
    assert outcome.low <= 940 <= outcome.high
    assert outcome.half_width == pytest.approx(0.55)  # what it cannot see: half to 1.6 times


def test_without_levels_the_interval_is_unbounded():
    outcome = Search(Settings()).outcome()
    assert (outcome.low, outcome.high, outcome.published, outcome.levels) == (0, math.inf, 0, 0)
    assert outcome.binding is None
    assert Flag.INCOMPLETE in outcome.flags


def test_progress_is_forecast_before_the_first_level_and_falls_to_nothing():
    search = Search(Settings())
    assert search.progress().phase == "probe"
    forecast = [search.progress().remaining_s]
    while (request := search.next()) is not None:
        search.observe(answering(logistic(940))(request))
        forecast.append(search.progress().remaining_s)
    spent = search.progress().spent_s
    assert 0.5 * spent < forecast[0] < 2.5 * spent
    assert forecast[-1] == 0
    assert search.progress().phase == "done"


def test_replaying_the_same_levels_asks_for_the_same_next_level():
    search, asked = play(Settings(), answering(logistic(940)))
    resumed = Search(Settings())
    for taken, request in zip(search.taken, asked, strict=True):
        assert resumed.next() == request
        resumed.observe(taken.observation)
    assert resumed.next() is None
    assert resumed.outcome() == search.outcome()


def test_observations_must_answer_the_request():
    search = Search(Settings(criteria=("p95",)))
    asked = search.next()
    with pytest.raises(ValueError, match="asked for 10 users"):
        search.observe(observed(replace(asked, users=11), Share("p95", 0, 10, 0.05)))
    with pytest.raises(ValueError, match="lacks p95"):
        search.observe(observed(asked, Share("p99", 0, 10, 0.05)))
    over, _ = play(Settings(curve=()), answering(lambda _: 1.0))
    with pytest.raises(ValueError, match="over"):
        over.observe(observed(asked, Share("p95", 0, 10, 0.05)))


def test_impossible_settings_and_observations_are_refused():
    for wrong in (
        {"start_users": 0},
        {"start_users": 11, "max_users": 10},
        {"target": 0.0},
        {"short_s": 0.0},
        {"cap": 0},
        {"fewest": 2},
    ):
        with pytest.raises(ValueError, match=r"must|target"):
            Settings(**wrong)
    with pytest.raises(ValueError, match="between 0 and total"):
        Share("p95", 2, 1, 0.05)
    with pytest.raises(ValueError, match="allowed"):
        Share("p95", 0, 1, 1.0)
    with pytest.raises(ValueError, match="limit > 0"):
        Value("mean", 1.0, 0.0)
    with pytest.raises(ValueError, match="ramp_per_s"):
        Overhead(ramp_per_s=0)


def test_overhead_is_short_when_little_changes_and_long_after_an_overload():
    overhead = Overhead(ramp_per_s=50, warmup_s=20, near_warmup_s=10, drain_s=40, near=0.1)
    assert overhead.seconds(0, 100) == 2 + 20
    assert overhead.seconds(1_000, 1_050) == 1 + 10
    assert overhead.seconds(1_000, 500) == 10 + 40


def test_the_budget_pays_for_making_data():
    settings, made = replace(Settings.first_look(), budget_s=120.0), [0]
    answer = answering(logistic(10_000))

    def preparing(request: Request) -> Observation:
        prepare_s = 0.1 * max(0, request.users - made[0])
        made[0] = max(made[0], request.users)
        seen = answer(request)
        return replace(seen, prepare_s=prepare_s, overhead_s=seen.overhead_s + prepare_s)

    search, asked = play(settings, preparing)
    outcome = search.outcome()
    # Four levels took 64 s and their data 32 s: 24 s are left for 640 users, whose data needs 32 s.
    assert max(request.users for request in asked) == 320
    assert 300 <= outcome.published <= 320
    assert outcome.high == math.inf
    assert Flag.BUDGET_SPENT in outcome.flags
