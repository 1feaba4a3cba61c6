"""Which runs test their diagnosis by default, and for how long."""

from pathlib import Path

import pytest

from headcount import workloads
from headcount.bundle.reader import Bundle
from headcount.bundle.verdict import Cost, Verdict
from headcount.controller.confirm_run import LONGEST_S, SHORTEST_S, may_test, time_left_s
from headcount.plan.plan import SearchOptions
from headcount.plan.resolve import Overrides, resolve


def finished(target: str, mode: str, search: SearchOptions, took_s: float = 100.0) -> Bundle:
    levels = None if mode == "search" else "1,2"
    made = resolve(workloads.load("app-server"), target, Overrides(levels=levels))
    made = made.model_copy(update={"search": search})
    verdict = Verdict(
        kind="capacity",
        outcome="passed",
        sentence="",
        broke_first=None,
        capacity=None,
        score=None,
        flags=[],
        cost=Cost(levels=1, seconds=took_s, operations=1),
    )
    return Bundle(Path("run"), made, None, [], verdict)


@pytest.mark.parametrize(
    ("target", "mode", "tests"),
    [
        ("app://127.0.0.1:1", "search", True),
        ("app://127.0.0.1:1", "ladder", False),
        ("lab:app", "search", False),
    ],
)
def test_only_a_search_of_a_server_outside_the_lab_is_tested_unasked(
    target: str, mode: str, tests: bool
) -> None:
    assert may_test(finished(target, mode, SearchOptions())) is tests


def test_experiments_take_what_is_left_of_a_budget() -> None:
    def left(search: SearchOptions, wanted: bool | None = None) -> float:
        return time_left_s(finished("app://127.0.0.1:1", "search", search), wanted)

    assert left(SearchOptions(budget="150s")) == pytest.approx(50)
    assert left(SearchOptions(budget="90s")) < 0
    assert left(SearchOptions(budget="1h")) == LONGEST_S
    assert left(SearchOptions(quick=True)) == SHORTEST_S
    assert left(SearchOptions()) == LONGEST_S
    assert left(SearchOptions(budget="90s"), wanted=True) == LONGEST_S
