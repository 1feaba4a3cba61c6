"""Stalls of a level, from what was answered in its seconds."""

import random

import pytest

from headcount.analyse.stalls import Second, Stall, stalls


def seconds(*answered: int, waiting: int = 300) -> list[Second]:
    return [Second(1.0, number, waiting) for number in answered]


def test_seconds_without_answers_are_a_stall() -> None:
    level = seconds(*[100] * 10, 0, 2, 0, *[100] * 10)
    assert stalls(level, 500) == (Stall(10.0, 3.0),)


def test_a_stall_may_begin_or_end_a_level() -> None:
    level = seconds(0, 0, *[40] * 20, 1, 0)
    assert stalls(level, 200) == (Stall(0.0, 2.0), Stall(22.0, 2.0))


def test_a_lull_in_which_nobody_waits_is_not_a_stall() -> None:
    assert stalls(seconds(*[100] * 10, 0, 0, 0, *[100] * 10, waiting=20), 500) == ()


def test_an_overloaded_server_has_no_stalls() -> None:
    assert stalls(seconds(*[180, 190, 200, 170] * 10, waiting=900), 1000) == ()


@pytest.mark.parametrize("rate", [0.5, 2, 10, 100])
def test_chance_makes_no_stalls(rate: float) -> None:
    draw = random.Random(7)
    for _ in range(200):
        counts = [_poisson(draw, rate) for _ in range(300)]
        assert stalls(seconds(*counts), 1000) == ()


def _poisson(draw: random.Random, mean: float) -> int:
    count, left = 0, draw.expovariate(1.0)
    while left < mean:
        count, left = count + 1, left + draw.expovariate(1.0)
    return count
