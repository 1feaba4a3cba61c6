"""Consolidation: the example of the file-server study of 1998, and what must always hold."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.analyse.prices.configuration import Configuration
from headcount.analyse.prices.consolidation import Administration, consolidate, rounding
from headcount.analyse.prices.fleet import Need

STUDY = Administration(Decimal(20), Decimal(100_000))
"""Every 20 servers take an administrator at $100,000 a year."""
HALF = Decimal("0.5")


def test_the_example_of_the_study() -> None:
    # 10,000 users on a cluster of two; 40 of the 2,000 old servers on each, so 250 users on each.
    cluster = Configuration("cluster", 10_000)
    found = consolidate(cluster, 2000, Need(users=2000 * 250), STUDY, nodes=2)
    assert (found.systems, found.servers) == (50, 100)
    assert found.per_server * 2 == 40  # "20 to 60 existing file servers for every cluster"
    assert (found.admins_before, found.admins_after) == (100, 5)
    assert (found.yearly_before, found.yearly_after) == (10_000_000, 500_000)
    assert found.saving == 9_500_000
    assert found.pays_back_years is None
    assert rounding(found.saving) == "rounded to whole millions that is 10 million, 5.3% more"


def test_a_node_that_can_take_over_is_a_headroom_of_one_half() -> None:
    node = Configuration("node", 10_000)
    found = consolidate(node, 2000, Need(users=2000 * 250, headroom=HALF), STUDY)
    assert (found.usable, found.servers, found.saving) == (5000, 100, 9_500_000)


def test_new_servers_pay_for_themselves_or_do_not() -> None:
    priced = Configuration("cluster", 10_000, each=Decimal(190_000))
    found = consolidate(priced, 2000, Need(users=500_000), STUDY, nodes=2)
    assert found.amount == 9_500_000
    assert found.pays_back_years == 1
    small = Configuration("small", 10, each=Decimal(1))
    worse = consolidate(small, 20, Need(users=5000), STUDY)
    assert (worse.servers, worse.saving, worse.pays_back_years) == (500, -2_400_000, None)
    without = consolidate(small, 20, Need(users=5000))
    assert (without.admins_before, without.saving) == (None, None)


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (999_999, None),
        (2_000_000, None),
        (9_920_000, None),
        (1_400_000, "rounded to whole millions that is 1 million, 28.6% less"),
        (-9_500_000, "rounded to whole millions that is -10 million, 5.3% more"),
        (2_600_000_000, "rounded to whole billions that is 3 billion, 15.4% more"),
    ],
)
def test_misleading_rounding_is_reported(amount: int, text: str | None) -> None:
    assert rounding(Decimal(amount)) == text


@given(
    st.integers(1, 3000),
    st.integers(1, 500),
    st.integers(100, 20_000),
    st.integers(1, 40),
    st.integers(1, 10**6),
)
def test_sums_add_up_and_larger_servers_never_save_less(
    replaces: int, users: int, holds: int, each: int, cost: int
) -> None:
    administration = Administration(Decimal(each), Decimal(cost))
    need = Need(users=replaces * users)
    found = consolidate(Configuration("one", holds), replaces, need, administration)
    assert found.yearly_before == -(-replaces // each) * cost
    assert found.yearly_after == -(-found.servers // each) * cost
    assert found.saving is not None
    assert found.saving == found.yearly_before - found.yearly_after
    larger = consolidate(Configuration("two", 2 * holds), replaces, need, administration)
    assert larger.saving is not None
    assert larger.saving >= found.saving
    assert found.servers * holds >= need.users > (found.servers - 1) * holds
