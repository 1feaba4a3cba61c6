"""Which levels the reports show in detail."""

from report_cases import saturated
from report_factory import level, search_levels, verdict

from headcount.bundle.level import LevelResult
from headcount.report.selection import (
    broken,
    by_users,
    counter_mean,
    errors_share,
    published,
    saturation,
    shown,
    timeline_level,
)


def index(found: LevelResult | None) -> int | None:
    return None if found is None else found.index


def test_the_official_level_stands_for_the_capacity() -> None:
    levels = [*search_levels(), level(14, 918, "straddle", "passed")]
    assert index(published(verdict(), levels)) == 13


def test_another_level_at_the_capacity_or_below_it_stands_in() -> None:
    levels = search_levels()
    levels[12] = level(13, 918, "straddle", "passed")
    assert index(published(verdict(), levels)) == 13
    levels[12] = level(13, 918, "official", "failed")
    assert index(published(verdict(), levels)) == 5
    without = verdict().model_copy(update={"capacity": None})
    assert index(published(without, levels)) == 5
    assert published(without, [level(1, 100, outcome="failed")]) is None


def test_the_last_failure_above_the_capacity_broke_it() -> None:
    levels = [*search_levels(), level(14, 300, "probe", "failed")]
    assert index(broken(verdict(), levels)) == 12
    assert index(broken(verdict(), levels[:3])) is None
    assert index(broken(verdict(), [level(1, 100, outcome="failed")])) == 1


def test_a_soak_that_failed_at_the_capacity_broke_it() -> None:
    levels = [*search_levels(), level(14, 918, "soak", "failed")]
    assert index(broken(verdict(), levels)) == 14
    assert index(published(verdict(), levels)) == 13
    assert index(broken(verdict(), [*search_levels(), level(14, 918, "soak", "passed")])) == 12


def test_some_level_is_shown_if_there_is_any() -> None:
    assert shown(verdict(), []) is None
    assert index(shown(verdict(), [level(1, 100, outcome="invalid")])) == 1
    assert index(shown(verdict(), [level(1, 2000, outcome="failed")])) == 1


def test_the_timeline_is_of_the_official_level() -> None:
    levels = [*search_levels(), level(14, 990, "curve")]
    assert index(timeline_level(levels)) == 13
    # What grows in time shows itself in the longest level.
    assert index(timeline_level([*levels, level(15, 918, "soak")])) == 15
    assert index(timeline_level(levels[:4])) == 4
    assert timeline_level([]) is None


def test_levels_with_equal_users_keep_their_order() -> None:
    levels = [level(1, 300), level(2, 100), level(3, 300), level(4, 200)]
    assert [one.index for one in by_users(levels)] == [2, 4, 1, 3]


def test_the_share_of_errors() -> None:
    total = level(1, 100).total
    some = total.model_copy(update={"completed": 30, "failed": 10})
    assert errors_share(some) == 0.25
    assert errors_share(total.model_copy(update={"completed": 0, "failed": 0})) is None


def test_a_counter_that_is_missing_is_none() -> None:
    assert counter_mean(level(1, 1010), "system.cpu.utilization") == 0.84
    assert counter_mean(level(1, 1010), "system.swap") is None
    assert counter_mean(level(1, 1010), "system.cpu.utilization", "server") is None


def test_a_saturation_point_is_shown_if_it_is_the_answer() -> None:
    made = saturated()
    levels = [level(n, users, outcome="passed") for n, users in enumerate((300, 1000, 1200), 1)]
    flat = made.verdict.plateaus[0]
    answer = made.verdict.model_copy(update={"sentence": flat.sentence})
    assert saturation(answer) == flat.users == 1000
    assert index(published(answer, levels)) == 2
    # Of other ladders it stands beside the answer.
    assert saturation(made.verdict) is None
    assert index(published(made.verdict, levels)) == 3
    assert saturation(verdict()) is None
