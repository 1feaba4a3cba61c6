"""Single experiments against servers of known behaviour, and the figures against formulas."""

import math

import pytest
from experiment_turns import Behaviour, arms_of, closed_rate, delay, limiter, pool, turns
from hypothesis import given
from hypothesis import strategies as st

from headcount.analyse.experiments import alone, beside, concurrency, connections, cut, kinds
from headcount.analyse.experiments.kinds import Kinds
from headcount.analyse.experiments.limits import LOADED, UNLOADED
from headcount.bundle.confirmation import Finding, Turn

NOISE = 0.05
BOTH = Kinds("cheap", "dear")


def concurrency_of(
    behaviour: Behaviour, service_s: float, users: int, *, seed: int = 1, noise: float = NOISE
) -> Finding:
    names = {concurrency.HALF: users, concurrency.ALL: 2 * users}
    arms = arms_of(behaviour, service_s, names, concurrency.ONE)
    found = concurrency.judge(turns(arms, noise=noise, seed=seed))
    assert found is not None
    return found


def kinds_of(behaviour: Behaviour, cheap_s: float, dear_s: float, users: int) -> Finding | None:
    arms = {}
    for name, service_s in (("cheap", cheap_s), ("dear", dear_s)):
        names = {BOTH.loaded(name): users}
        arms |= arms_of(behaviour, service_s, names, BOTH.alone(name))
    ordered = {name: arms[name] for name in BOTH.arms}
    made = turns(ordered, noise=NOISE)
    assert kinds.kinds_of(made) == BOTH
    return kinds.judge(made, BOTH)


def test_the_oracle_agrees_with_the_bounds_of_closed_networks() -> None:
    # One place: the exact rate of the machine-repairman model, by its closed formula.
    users, service_s, think_s = 5, 0.1, 0.4
    terms = [
        math.factorial(users) / math.factorial(users - n) * (service_s / think_s) ** n
        for n in range(users + 1)
    ]
    idle = 1 / sum(terms)
    assert closed_rate(users, 1, service_s, think_s) == pytest.approx((1 - idle) / service_s)
    assert closed_rate(64, 4, 0.02, 0.0) == pytest.approx(200.0)


@given(st.integers(3, 24), st.floats(0.002, 0.5), st.integers(0, 99))
def test_a_pool_has_its_size_and_is_not_a_lock(places: int, service_s: float, seed: int) -> None:
    found = concurrency_of(pool(places), service_s, 2 * places, seed=seed)
    assert {"lock", *UNLOADED} <= set(found.contradicts)
    assert "pool" in found.supports
    assert found.size == pytest.approx(places, rel=0.2)
    assert found.estimates[1].low <= found.estimates[1].value <= found.estimates[1].high


@given(st.floats(0.002, 0.5), st.integers(4, 64), st.integers(0, 99))
def test_a_lock_serves_one_at_a_time_and_is_not_a_pool(
    service_s: float, users: int, seed: int
) -> None:
    found = concurrency_of(pool(1), service_s, users, seed=seed)
    assert "lock" in found.supports
    assert {"pool", *UNLOADED} <= set(found.contradicts)


@given(st.floats(10, 500), st.floats(0.02, 0.5), st.integers(0, 99))
def test_a_rate_limit_leaves_less_than_one_in_service(per_s: float, part: float, seed: int) -> None:
    found = concurrency_of(limiter(per_s), part / per_s, 16, seed=seed)
    assert found.direct == ["limiter"]
    # A quota on a resource is a rate, too.
    assert set(found.supports) == {"limiter", "cpu", "disk", "network"}
    assert set(found.contradicts) == (LOADED | UNLOADED) - set(found.supports)


@given(st.floats(0.001, 2.0), st.integers(2, 40))
def test_a_server_that_is_slow_for_everybody_is_not_limited(service_s: float, users: int) -> None:
    found = concurrency_of(delay(), service_s, users)
    assert set(found.supports) == UNLOADED
    assert set(found.contradicts) == LOADED
    assert found.size is None


@given(st.integers(1, 8), st.floats(0.01, 0.2), st.floats(0.05, 1.0))
def test_throughput_is_flat_once_thinking_users_fill_a_pool(
    places: int, service_s: float, think_s: float
) -> None:
    knee = places * (service_s + think_s) / service_s
    found = concurrency_of(pool(places, think_s), service_s, math.ceil(2 * knee) + 2)
    assert set(found.contradicts) >= UNLOADED


def test_the_figures_are_those_of_the_definitions() -> None:
    arms = {
        concurrency.ONE: (1, 50.0, 20.0),
        concurrency.HALF: (10, 150.0, 66.0),
        concurrency.ALL: (20, 180.0, 111.0),
    }
    found = concurrency.judge(turns(arms))
    assert found is not None
    growth, places, share = found.estimates
    assert growth.value == pytest.approx(math.log(180 / 150) / math.log(2))
    assert places.value == pytest.approx(180 * 0.020)
    assert share.value == pytest.approx(20 / 111)
    assert "20.0 ms" in share.sentence


def test_alone_distinguishes_a_slow_server_from_a_loaded_one() -> None:
    slow = alone.judge(turns({alone.ONE: (1, 10, 100.0), alone.ALL: (9, 88, 104.0)}, noise=NOISE))
    assert slow is not None
    assert slow.direct == ["delay"]
    assert set(slow.contradicts) == LOADED
    loaded = alone.judge(turns({alone.ONE: (1, 10, 20.0), alone.ALL: (9, 88, 104.0)}, noise=NOISE))
    assert loaded is not None
    assert set(loaded.contradicts) == UNLOADED
    unclear = alone.judge(
        turns({alone.ONE: (1, 1, 50.0), alone.ALL: (9, 8, 100.0)}, noise=0.2, seed=3)
    )
    assert unclear is not None
    assert unclear.supports == unclear.contradicts == []


@given(st.integers(1, 8), st.floats(0.004, 0.1), st.floats(2.0, 20.0))
def test_the_rate_of_a_pool_follows_the_cost(places: int, cheap_s: float, times: float) -> None:
    found = kinds_of(pool(places), cheap_s, cheap_s * times, 4 * places)
    assert found is not None
    assert found.contradicts == ["limiter"]
    assert found.estimates[0].value == pytest.approx(1.0, abs=0.35)


@given(st.floats(20, 400), st.floats(2.0, 5.0))
def test_the_rate_of_a_limiter_does_not_follow_the_cost(per_s: float, times: float) -> None:
    found = kinds_of(limiter(per_s), 0.1 / per_s, 0.1 * times / per_s, 32)
    assert found is not None
    assert found.supports == found.direct == ["limiter"]
    assert {"pool", "lock", "cpu", "delay"} <= set(found.contradicts)


def test_equal_rates_with_a_busy_place_may_be_a_lock() -> None:
    # Both kinds hold a lock for 10 ms; the expensive one takes 30 ms more beside it.
    arms = {
        BOTH.alone("cheap"): (1, 50.0, 12.0),
        BOTH.alone("dear"): (1, 20.0, 42.0),
        BOTH.loaded("cheap"): (16, 100.0, 160.0),
        BOTH.loaded("dear"): (16, 100.0, 160.0),
    }
    found = kinds.judge(turns(arms, noise=NOISE), BOTH)
    assert found is not None
    assert set(found.supports) == {"limiter", "lock"}
    assert "pool" in found.contradicts


def test_the_only_kind_that_is_slow_is_named() -> None:
    arms = {
        BOTH.alone("cheap"): (1, 50.0, 5.0),
        BOTH.alone("dear"): (1, 20.0, 20.0),
        BOTH.loaded("cheap"): (8, 1500.0, 5.3),
        BOTH.loaded("dear"): (8, 50.0, 160.0),
    }
    found = kinds.judge(turns(arms, noise=NOISE), BOTH)
    assert found is not None
    assert 'only "dear" is slow under load' in found.sentence
    assert not found.contradicts


def test_kinds_of_equal_cost_have_no_finding() -> None:
    assert kinds_of(pool(2), 0.010, 0.011, 16) is None


@pytest.mark.parametrize(
    ("part", "supports", "contradicts"),
    [(0.7, ["cpu"], "pool"), (1.0, ["disk", "limiter", "lock"], "cpu")],
)
def test_cutting_a_resource_lowers_throughput_only_if_it_is_the_limit(
    part: float, supports: list[str], contradicts: str
) -> None:
    arms = {cut.WHOLE: (8, 200.0, 40.0), cut.PART: (8, 200.0 * part, 40.0 / part)}
    found = cut.judge(turns(arms, noise=0.02), "nudge", "cpu", "the server's CPU", 0.7)
    assert found is not None
    assert set(supports) <= set(found.supports)
    assert contradicts in found.contradicts
    assert found.direct == (["cpu"] if part < 1 else [])


@pytest.mark.parametrize(("left", "limit"), [(0.5, "limiter"), (1.0, "upstream")])
def test_a_second_load_on_a_shared_upstream_takes_throughput(left: float, limit: str) -> None:
    arms = {beside.WITHOUT: (8, 100.0, 80.0), beside.WITH: (8, 100.0 * left, 80.0 / left)}
    found = beside.judge(turns(arms, noise=0.03), "http://other")
    assert found is not None
    assert found.contradicts == [limit]
    assert found.direct == (["upstream"] if left < 1 else [])
    assert found.estimates[0].value == pytest.approx(left, rel=0.1)


def test_failures_of_new_connections_are_refusals() -> None:
    def failing(turn: Turn) -> Turn:
        new = turn.arm == connections.NEW
        return turn.model_copy(update={"failed": turn.completed if new else 0})

    arms = {connections.KEPT: (8, 100.0, 80.0), connections.NEW: (8, 90.0, 80.0)}
    found = connections.judge([failing(turn) for turn in turns(arms, noise=NOISE)])
    assert found is not None
    assert found.direct == ["refusal"]
    assert found.estimates[1].value == pytest.approx(0.5)
    fine = connections.judge(turns(arms, noise=NOISE))
    assert fine is not None
    assert fine.contradicts == ["refusal"]


def test_four_rounds_are_too_few_and_incomplete_rounds_do_not_count() -> None:
    arms = {alone.ONE: (1, 10.0, 20.0), alone.ALL: (9, 88.0, 104.0)}
    assert alone.judge(turns(arms, rounds=4)) is None
    assert alone.judge(turns(arms, rounds=5)[:-1]) is None
    assert alone.judge(turns(arms, rounds=5)) is not None
    assert alone.judge([]) is None
