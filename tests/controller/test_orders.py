"""What the search orders, and what happens to the levels that it gets."""

import pytest

from headcount.bundle.level import LevelResult
from headcount.controller.orders import Orders, orders_of, settings_of
from headcount.controller.run import check_budget
from headcount.errors import InputError
from versus_levels import Server, level, plan


def played(most: int) -> tuple[Orders, list[LevelResult]]:
    """The first levels of a search of a server for 300 users."""
    orders, server, levels = orders_of(plan()), Server(300, 1), list[LevelResult]()
    while len(levels) < most and (order := orders.next()) is not None:
        result = server.level(order.index, order.users, order.purpose)
        if (doubt := order.doubt(result)) is not None:
            result = result.model_copy(update={"outcome": "invalid", "reasons": [doubt]})
        orders.take(result)
        levels.append(result)
    return orders, levels


def test_a_climb_that_was_not_light_says_so_and_is_run_again_in_full() -> None:
    _, levels = played(6)
    assert [(one.purpose, one.users, one.outcome) for one in levels[:3]] == [
        ("probe", 10, "passed"),
        ("climb", 40, "passed"),
        ("climb", 160, "passed"),
    ]
    climb, probe = levels[3:5]
    assert (climb.purpose, climb.users, climb.outcome) == ("climb", 320, "invalid")
    (reason,) = climb.reasons
    assert reason.startswith("too close to a limit, or past it, for a level of ")
    assert (probe.purpose, probe.users) == ("probe", 320)


def test_a_climb_settles_and_measures_briefly() -> None:
    orders, _ = played(2)
    climb = orders.next()
    assert climb is not None
    assert (climb.purpose, climb.users) == ("climb", 160)
    assert climb.measure_s < 30
    assert climb.settle_s < 30


def test_a_fixed_ramp_is_part_of_the_budget() -> None:
    orders = orders_of(plan(ramp="5m"))
    order = orders.next()
    assert order is not None
    assert order.ramp_s == 300
    assert orders.outlook().remaining_s > orders_of(plan()).outlook().remaining_s + 5 * 300
    with pytest.raises(InputError, match="the budget of --quick, 3 minutes, is too short for even"):
        check_budget(plan(quick=True, ramp="10m"))


def test_levels_of_another_version_are_refused_with_a_reason() -> None:
    orders, _ = played(1)
    with pytest.raises(InputError, match="level 2 is not what this version of Headcount would"):
        orders.take(level(2, 77))


@pytest.mark.parametrize(("quick", "usual_s"), [(False, 300), (True, 20)])
def test_a_duration_is_that_of_the_full_level(quick: bool, usual_s: float) -> None:
    assert settings_of(plan(quick=quick)).official_s == usual_s
    assert settings_of(plan(quick=quick, duration="45s")).official_s == 45
