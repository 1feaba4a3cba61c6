"""What is run next: pairs in an order in which drift cancels, and none that are in vain."""

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.controller.versus.ask import Ask
from headcount.controller.versus.capacity import ALIKE, CapacityPairs
from headcount.controller.versus.fixed import FixedPairs
from headcount.controller.versus.order import ORDERS, Order, first_side
from versus_levels import Server, level, plan


def played(schedule: FixedPairs, spoiled: tuple[int, ...] = ()) -> list[list[Ask]]:
    """Every pair, of which those whose place is in `spoiled` have a level that does not count."""
    found: list[list[Ask]] = []
    while asks := schedule.next():
        for ask in asks:
            bad = len(found) in spoiled and ask is asks[0]
            schedule.take(ask, level(1, ask.users, outcome="invalid" if bad else "passed"))
        found.append(asks)
        assert len(found) < 100
    return found


def test_abba() -> None:
    asks = played(FixedPairs(plan(users=20), 4, "abba"))
    assert "".join(ask.side for pair in asks for ask in pair) == "ABBAABBA"
    assert {ask.users for pair in asks for ask in pair} == {20}
    assert [pair[0].round for pair in asks] == [1, 2, 3, 4]


def test_levels_begin_by_turns_within_a_round_too() -> None:
    asks = played(FixedPairs(plan(levels="10,20,30"), 2, "abba"))
    assert [(pair[0].side, pair[0].users) for pair in asks] == [
        *(("A", 10), ("B", 20), ("A", 30)),
        *(("B", 10), ("A", 20), ("B", 30)),
    ]


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 20), st.sampled_from(ORDERS))
def test_every_pair_is_one_level_of_each_at_the_same_users(
    seed: int, rounds: int, order: Order
) -> None:
    made = plan(levels="10,20").model_copy(update={"seed": seed})
    asks = played(FixedPairs(made, rounds, order))
    assert len(asks) == 2 * rounds
    for pair in asks:
        assert {ask.side for ask in pair} == {"A", "B"}
        assert len({(ask.users, ask.ramp_s, ask.settle_s, ask.measure_s) for ask in pair}) == 1


def test_a_coin_of_the_seed_decides_a_random_order() -> None:
    first = [first_side("random", 7, number) for number in range(1000)]
    assert first == [first_side("random", 7, number) for number in range(1000)]
    assert first != [first_side("random", 8, number) for number in range(1000)]
    assert 440 < first.count("A") < 560  # 3.8 standard deviations
    assert 440 < sum(one == two for one, two in pairwise(first)) < 560


def test_a_pair_with_a_level_that_does_not_count_is_run_again_at_the_end() -> None:
    asks = played(FixedPairs(plan(levels="10,20"), 2, "abba"), spoiled=(1,))
    assert [(pair[0].users, pair[0].round) for pair in asks] == [
        *((10, 1), (20, 1), (10, 2), (20, 2), (20, 1)),
    ]
    assert asks[-1][0].side == asks[1][0].side


def test_where_nothing_counts_it_ends() -> None:
    asks = played(FixedPairs(plan(users=10), 4, "abba"), spoiled=tuple(range(100)))
    assert len(asks) == 6


def test_the_forecast_counts_both_sides() -> None:
    schedule = FixedPairs(plan(users=20, duration="10s", settle="2s", ramp="1s"), 3, "abba")
    assert schedule.outlook().remaining_s == pytest.approx(3 * 2 * 13)
    schedule.next()
    assert schedule.outlook().remaining_s == pytest.approx(2 * 2 * 13)


def searched(
    a: float, b: float, rounds: int = 6, **changed: object
) -> tuple[CapacityPairs, list[list[Ask]]]:
    servers = {"A": Server(a, 1), "B": Server(b, 2)}
    schedule = CapacityPairs(plan(start_users=10, **changed), rounds, "abba")
    found: list[list[Ask]] = []
    while asks := schedule.next():
        for ask in asks:
            schedule.take(ask, servers[ask.side].level(1, ask.users, ask.purpose))
        found.append(asks)
        assert len(found) < 100
    return schedule, found


def test_both_are_found_by_turns_and_then_paired() -> None:
    _, asks = searched(200, 210)
    alone = [pair[0].side for pair in asks if len(pair) == 1]
    assert alone[:4] == ["A", "B", "A", "B"]
    pairs = [pair for pair in asks if len(pair) == 2]
    assert asks[-6:] == pairs
    assert [pair[0].side for pair in pairs] == ["A", "B", "B", "A", "A", "B"]
    for one, two in pairs:
        assert one.users == two.users
        assert 160 < one.users < 260
        assert (one.purpose, two.purpose) == ("straddle", "straddle")


def test_sides_far_apart_are_each_measured_at_their_own_limit() -> None:
    _, asks = searched(200, 400)
    for pair in (pair for pair in asks if len(pair) == 2):
        users = {ask.side: ask.users for ask in pair}
        assert abs(math.log(users["A"] / users["B"])) > ALIKE
        assert 160 < users["A"] < 250
        assert 320 < users["B"] < 500


def test_there_are_no_pairs_where_a_side_has_no_limit() -> None:
    _, asks = searched(200, 10_000, max_users=1000)
    assert all(len(pair) == 1 for pair in asks)


def test_a_budget_leaves_three_pairs() -> None:
    _, asks = searched(200, 210, budget="10m")
    assert 3 <= sum(len(pair) == 2 for pair in asks) < 6


def test_the_measured_part_is_as_long_as_asked() -> None:
    _, asks = searched(200, 210, duration="90s")
    assert {ask.measure_s for pair in asks if len(pair) == 2 for ask in pair} == {90.0}
