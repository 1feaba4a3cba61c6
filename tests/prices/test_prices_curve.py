"""Systems for users, cost curves and break-even points: by counting, and what must always hold."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.analyse.prices.breakeven import BreakEven, break_even
from headcount.analyse.prices.configuration import Configuration
from headcount.analyse.prices.curve import MOST_STEPS, per_user, points, steps
from headcount.analyse.prices.fleet import Need, fleet, systems
from headcount.errors import InputError

SMALL = Configuration("small", 1000, 950.0, 1100.0, Decimal(10_000))
LARGE = Configuration("large", 10_000, None, None, Decimal(60_000))
QUARTER = Decimal("0.25")

configurations = st.builds(
    Configuration,
    st.just("one"),
    st.integers(1, 60),
    each=st.decimals("1", "90", places=1),
    shared=st.sampled_from([Decimal(0), Decimal(25), Decimal("7.5")]),
)


def test_servers_are_whole_and_headroom_growth_and_spares_are_kept() -> None:
    found = fleet(SMALL, Need(users=10_000))
    assert (found.usable, found.systems, found.amount) == (1000, 10, 100_000)
    assert (found.fewest, found.most) == (10, 11)  # 10,000 / 1,100 and / 950
    assert (found.least_amount, found.most_amount) == (100_000, 110_000)
    found = fleet(SMALL, Need(users=10_000, headroom=QUARTER))
    assert (found.usable, found.systems) == (750, 14)  # 13.33
    # 10,000 x 1.2^3 = 17,280, of which 1,000 each; one more stands by.
    need = Need(users=10_000, growth=Decimal("0.2"), years=Decimal(3), spare=1)
    assert need.most_users == 17_280
    assert fleet(SMALL, need).systems == 19
    assert fleet(LARGE, Need(users=10_001)).systems == 2
    assert (fleet(LARGE, Need(users=1)).fewest, fleet(LARGE, Need(users=1)).most) == (None, None)


def test_shrinking_users_count_as_those_of_today() -> None:
    assert Need(users=100, growth=Decimal("-0.5"), years=Decimal(2)).most_users == 100


def test_a_headroom_that_leaves_nobody_is_refused() -> None:
    with pytest.raises(InputError, match="smaller --headroom"):
        Configuration("tiny", 1).usable(QUARTER)
    weak = Configuration("weak", 10, 0.5, 20.0, Decimal(1))
    assert fleet(weak, Need(users=10)).most is None
    with pytest.raises(InputError, match="state one with --cost"):
        Configuration("free", 1).amount(1)


@given(configurations, st.integers(1, 2000), st.integers(1, 2000), st.integers(0, 2))
def test_more_users_never_cost_less(one: Configuration, users: int, more: int, spare: int) -> None:
    first, second = (fleet(one, Need(users=many, spare=spare)) for many in (users, users + more))
    assert first.amount is not None
    assert second.amount is not None
    assert first.amount <= second.amount
    fewer = fleet(one, Need(users=users, spare=spare + 1)).amount
    assert fewer is not None
    assert fewer >= first.amount


@given(configurations, st.integers(1, 900), st.integers(0, 2))
def test_a_curve_is_the_cost_of_every_number_of_users(
    one: Configuration, last: int, spare: int
) -> None:
    staircase = steps(one, last, spare=spare)
    at = 1
    for step in staircase:
        assert step.first_users == at
        for users in (step.first_users, step.last_users):
            assert step.amount == one.amount(systems(users, one.users) + spare)
        at = step.last_users + 1
    assert at == last + 1
    corners = points(staircase)
    assert corners == sorted(corners)
    assert (corners[0][0], corners[-1][0]) == (1, last)
    assert [users for users, _ in per_user(staircase)] == [users for users, _ in corners]


def test_a_curve_of_too_many_steps_ends_early() -> None:
    staircase = steps(Configuration("one", 1, each=Decimal(1)), 10 * MOST_STEPS)
    assert len(staircase) == MOST_STEPS
    assert staircase[-1].last_users == MOST_STEPS


def test_break_even_of_one_large_server_and_several_small_ones() -> None:
    found = break_even(SMALL, LARGE)
    assert [(one.first_users, one.last_users, one.cheaper) for one in found.stretches] == [
        (1, 5000, "small"),
        (5001, 6000, None),  # six small ones cost as much
        (6001, 10_000, "large"),
        (10_001, 11_000, "small"),  # 110,000 against 120,000
        (11_001, 12_000, None),
        (12_001, None, "large"),
    ]
    assert found.complete
    assert (found.from_users("large"), found.always_from("large")) == (6001, 12_001)
    assert (found.from_users("small"), found.always_from("small")) == (1, None)


def cheaper(one: Configuration, other: Configuration, users: int, spare: int) -> str | None:
    costs = [each.amount(-(-users // each.users) + spare) for each in (one, other)]
    return None if costs[0] == costs[1] else (one.name if costs[0] < costs[1] else other.name)


def cheaper_by_report(found: BreakEven, users: int) -> tuple[bool, str | None]:
    for one in found.stretches:
        if one.first_users <= users and (one.last_users is None or users <= one.last_users):
            return True, one.cheaper
    return False, None


@settings(max_examples=60)
@given(configurations, configurations, st.integers(0, 2))
def test_break_even_is_where_the_cheaper_one_changes(
    one: Configuration, other: Configuration, spare: int
) -> None:
    other = Configuration("other", other.users, each=other.each, shared=other.shared)
    found = break_even(one, other, spare=spare)
    for users in range(1, 1500):
        known, name = cheaper_by_report(found, users)
        assert known or not found.complete
        if known:
            assert name == cheaper(one, other, users, spare)
    for before, after in zip(found.stretches, found.stretches[1:], strict=False):
        assert before.last_users is not None
        assert after.first_users == before.last_users + 1
        assert before.cheaper != after.cheaper
    always = found.always_from("other")
    if always is not None:
        for users in (always, always + 1, always + 997, 10 * always + 12_345):
            assert cheaper(one, other, users, spare) == "other"
        assert always == 1 or cheaper(one, other, always - 1, spare) != "other"


def test_the_same_price_per_user_never_settles() -> None:
    found = break_even(SMALL, Configuration("twice", 2000, each=Decimal(20_000)))
    assert not found.complete
    assert found.always_from("small") is found.always_from("twice") is None
    assert cheaper_by_report(found, 1) == (True, "small")
    assert cheaper_by_report(found, 1001) == (True, None)
    same = break_even(SMALL, Configuration("same", 1000, each=Decimal(10_000)))
    assert same.complete
    assert [one.cheaper for one in same.stretches] == [None]
