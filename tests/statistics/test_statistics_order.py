"""Whether runs took turns, against numpy and by a drift laid over them."""

import numpy as np
import pytest
from bench.statistics.order import confounded, has_taken_turns
from hypothesis import given
from hypothesis import strategies as st


def sides(order: str) -> list[bool]:
    return [side == "B" for side in order]


@given(st.lists(st.booleans(), min_size=2, max_size=40))
def test_confounding_is_the_correlation_of_side_and_time(second: list[bool]) -> None:
    if len(set(second)) < 2:
        assert confounded(second) == 0
        return
    expected = float(np.corrcoef(range(len(second)), second)[0, 1])
    assert confounded(second) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("order", ["ABBA", "ABAB", "ABBAABBA", "ABABABAB", "BAABBAAB", "ABBABAAB"])
def test_orders_that_take_turns(order: str) -> None:
    assert has_taken_turns(sides(order))


@pytest.mark.parametrize("order", ["AB", "AABB", "AAAABBBB", "BBBBBBAAAAAA", "AAABAABBBABB"])
def test_orders_that_do_not_take_turns(order: str) -> None:
    assert not has_taken_turns(sides(order))


def test_nothing_and_one_side_alone_are_not_confounded() -> None:
    assert confounded([]) == 0
    assert confounded([True]) == 0
    assert has_taken_turns([False] * 8)


@pytest.mark.parametrize("order", ["AAAABBBB", "ABBAABBA", "ABABABAB", "AAABABBB"])
def test_a_drift_enters_the_difference_by_its_confounding(order: str) -> None:
    second = np.array(sides(order))
    count = len(second)
    drift = np.linspace(0, 1, count)
    difference = drift[second].mean() - drift[~second].mean()
    # The slope of a regression on a half-and-half side: correlation, times both deviations' ratio.
    exact = confounded(second.tolist()) * drift.std() / second.std()
    assert difference == pytest.approx(exact)
    assert difference == pytest.approx(0.58 * confounded(second.tolist()), abs=0.15)
