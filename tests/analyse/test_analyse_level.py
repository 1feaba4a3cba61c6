"""Levels of a real run summed up: passes, failures, and levels that must not count."""

from dataclasses import replace
from typing import Any, cast

import pytest
from null_run import BREAK, FAIL, Run, record, serve, workload

from headcount._engine import Interval
from headcount.analyse import little
from headcount.analyse.observe import OFFERED, UNSERVED, WRONG, observe
from headcount.analyse.window import Window
from headcount.bundle.level import LevelResult

USERS = 40


@pytest.fixture(scope="module")
def closed() -> Run:
    work = workload("closed", "50ms", serve(0.03), serve(0.01), criteria=["p95<=200ms"])
    return record(work, USERS, 2.6)


@pytest.fixture(scope="module")
def behind() -> Run:
    """Each user owes a scenario every 20 ms, and each takes 50 ms."""
    work = workload("open", "20ms", serve(0.05), criteria=["errors<1%"], limit="1h")
    return record(work, USERS, 1.6)


@pytest.fixture(scope="module")
def broken() -> Run:
    """Every connection breaks at once, and users without think time come back at once."""
    work = workload("closed", "0s", BREAK, criteria=["errors<1%"])
    return record(work, USERS, 1.6)


def test_littles_law_holds_and_detects_miscounted_users(closed: Run) -> None:
    window = closed.between(0.5, 2.5)
    law = little.check(window, USERS)
    assert law is not None
    assert law.think_mean_s == pytest.approx(0.05, rel=0.05)
    assert abs(law.error) < law.tolerance < 0.05
    for claimed in (USERS - 4, USERS + 5):
        wrong = little.check(window, claimed)
        assert wrong is not None
        assert abs(wrong.error) > wrong.tolerance
        assert wrong.error == pytest.approx(USERS / claimed - 1, abs=0.02)


def test_a_level_with_other_users_than_claimed_is_invalid(closed: Run) -> None:
    level = closed.level(closed.between(0.5, 2.5), users=USERS + 5)
    assert level.outcome == "invalid"
    assert "40 users instead of 45" in level.reasons
    assert any(reason.startswith("Little's law is off by 1") for reason in level.reasons)
    assert not observe(level, closed.plan.criteria).valid


def logging_on(closed: Run, users: int) -> tuple[LevelResult, little.Little]:
    """The level of the run as if this many more users had been opening their sessions."""
    window = closed.between(0.5, 2.5)
    assert window.before is not None
    intervals = [Opening(each, users) for each in (window.before, *window.intervals)]
    claimed = Window(cast("list[Interval]", intervals[1:]), cast("Interval", intervals[0]))
    law = little.check(claimed, USERS + users)
    assert law is not None
    return closed.level(claimed, users=USERS + users), law


class Opening:
    """An interval with more users, who open their sessions."""

    def __init__(self, interval: Interval, users: int) -> None:
        """Add users to an interval."""
        self._interval = interval
        self.users = interval.users + users
        self.logging_on = users

    def __getattr__(self, name: str) -> Any:
        """All else is the interval's own."""
        return getattr(self._interval, name)


def test_users_who_still_log_on_are_reported_and_keep_littles_law(closed: Run) -> None:
    level, law = logging_on(closed, 5)
    assert abs(law.error) < law.tolerance
    assert level.outcome == "invalid"
    assert len(level.reasons) == 1
    assert level.reasons[0].startswith("5 of 45 users were still logging on: give them more time")


def test_a_level_shorter_than_the_think_time_does_not_count() -> None:
    run = record(
        workload("closed", "1h", serve(0.01), criteria=["p95<=1s", "mean<=1s"]), USERS, 1.6
    )
    level = run.level(run.between(0.5, 1.5))
    assert level.outcome == "invalid"
    assert level.reasons[0].startswith("no user was due to do anything within 1")
    assert not any("nothing was answered" in reason for reason in level.reasons)


def test_a_server_that_answers_nobody_has_failed() -> None:
    run = record(workload("closed", "10ms", serve(60.0), criteria=["p95<=1s"]), USERS, 2.6)
    level = run.level(run.between(1.0, 2.5))
    assert level.outcome == "failed"
    assert level.reasons[0].startswith("nothing completed; 100% took longer")


def test_every_figure_of_a_level(closed: Run) -> None:
    window = closed.between(0.5, 2.5)
    level = closed.level(window)
    one, two = level.scenarios
    total = level.total
    assert total.completed == one.completed + two.completed
    assert level.achieved_per_s == pytest.approx(total.completed / window.seconds)
    # By Little's law: 40 users, 50 ms of thought, 20 ms of service on average.
    assert level.achieved_per_s == pytest.approx(USERS / 0.070, rel=0.15)
    assert one.response is not None
    assert two.response is not None
    assert 30 <= one.response.p50_ms < 40
    assert 10 <= two.response.p50_ms < 20
    assert [step.completed for step in level.steps] == [one.completed, two.completed]
    assert abs(total.due - total.completed) <= USERS
    assert (total.failed, total.unanswered, level.faults) == (0, 0, [])
    assert level.steady_s == pytest.approx(2.0, abs=0.25)
    assert level.generator.workers == 1
    assert level.criteria[0].passed
    if level.outcome == "invalid":  # a busy machine may keep even this small a load waiting
        assert level.generator.limited
    else:
        assert level.outcome == "passed"


def test_a_group_is_the_sum_of_its_scenarios(closed: Run) -> None:
    grouped = closed.plan.workload.model_copy(
        update={"groups": {"second": ["work-1"], "both": ["work-*"]}}
    )
    run = replace(closed, plan=closed.plan.model_copy(update={"workload": grouped}))
    level = run.level(run.between(0.5, 2.5))
    second, both = level.groups
    assert second == level.scenarios[1].model_copy(update={"name": "second"})
    assert (both.name, both.completed, both.due) == ("both", level.total.completed, level.total.due)
    assert both.response == level.total.response
    counts = [c for i in run.between(0.5, 2.5).intervals for c in i.scenarios]
    completed_s = sum(c.response.mean_us * c.response.count for c in counts) / 1e6
    assert both.mean_ms is not None
    assert both.mean_ms == level.total.mean_ms
    # As criteria judge it: at least the mean of those that completed.
    assert both.mean_ms >= completed_s * 1000 / both.completed * 0.999


def test_users_who_are_stuck_are_not_reported() -> None:
    # A third of the scenarios never ends: sooner or later it holds every user.
    work = workload("closed", "20ms", serve(0.01), serve(0.01), serve(60.0), criteria=["errors<1%"])
    run = record(work, USERS, 1.6)
    reported = []
    for start in (0.0, 0.2, 0.5, 1.0):  # windows that end together
        window = run.between(start, 1.5)
        level = run.level(window)
        ages = window.intervals[-1].scenarios[2].pending
        held = ages.count_above(round(window.seconds * 1e6))
        assert level.users_reported is not None
        assert level.users_reported <= USERS - held
        reported.append(level.users_reported)
    assert reported == sorted(reported, reverse=True)
    # Most complete something at first, and hardly anybody at the end.
    assert reported[0] > reported[-1] < USERS / 2


def test_an_open_pace_that_falls_behind_never_passes(behind: Run) -> None:
    level = behind.level(behind.between(0.5, 1.5))
    assert [result.passed for result in level.criteria] == [True]
    assert level.outcome != "passed"
    assert any("scenarios that fell due were answered" in reason for reason in level.reasons)
    assert level.offered_per_s == pytest.approx(USERS / 0.020, rel=0.1)
    # 50 ms each: a busy machine does less, and nothing does more.
    assert 0 < level.achieved_per_s <= USERS / 0.050 * 1.05
    assert level.think_mean_s is level.little_error is None


def test_the_search_sees_that_the_pace_fell_behind(behind: Run) -> None:
    level = behind.level(behind.between(0.5, 1.5))
    observation = observe(level, behind.plan.criteria)
    assert [c.name for c in observation.constraints] == ["errors<1%", WRONG, UNSERVED, OFFERED]
    assert [c.passed for c in observation.constraints][-1] is False
    assert not observation.passed


def test_an_open_pace_that_is_kept_passes() -> None:
    work = workload("open", "50ms", serve(0.001), criteria=["achieved>=90%"])
    run = record(work, 10, 1.6)
    level = run.level(run.between(0.5, 1.5))
    assert level.criteria[0].passed
    assert not any("fell due" in reason for reason in level.reasons)
    assert all(c.passed for c in observe(level, run.plan.criteria).constraints)


def test_broken_connections_fail_a_level_and_do_not_make_it_invalid(broken: Run) -> None:
    level = broken.level(broken.between(0.5, 1.5))
    assert level.total.completed == 0
    assert level.total.failed > 100
    assert not any("Little" in reason for reason in level.reasons)
    assert any("100% failed" in reason for reason in level.reasons)
    assert level.total.response is None
    fault = level.faults[0]
    assert (fault.step, fault.kind, fault.count) == ("step-0", "disconnected", level.total.failed)
    assert fault.examples == ["the workload asked for this failure"]
    # They come back at once, as fast as the generator can: that is not what broke.
    assert level.outcome == "failed"
    assert not level.generator.limited


def test_failures_are_counted_by_step_and_never_as_fast() -> None:
    work = workload("closed", "20ms", serve(0.001), FAIL, criteria=["p95<=200ms", "errors<=99%"])
    run = record(work, 20, 1.3)
    level = run.level(run.between(0.3, 1.2))
    slow, errors = level.criteria
    assert (slow.passed, errors.passed) == (False, True)
    assert slow.bad == errors.bad == level.total.failed == level.scenarios[1].failed
    assert level.scenarios[1].overloaded == level.scenarios[1].failed
    assert level.scenarios[0].failed == 0
    assert level.scenarios[1].response is None


def observed(level: LevelResult, run: Run) -> list[tuple[str, bool]]:
    return [(c.name, c.passed) for c in observe(level, run.plan.criteria).constraints]


def test_a_level_in_which_nothing_ended_fails_outright() -> None:
    criteria = ["p95<=200ms", "errors<1%", "overload<1%", "mean<=1s", "achieved>=95%"]
    run = record(workload("closed", "0s", serve(60.0), criteria=criteria), 5, 0.8)
    level = run.level(run.between(0.3, 0.7))
    assert (level.total.completed, level.total.unanswered) == (0, 5)
    assert not any(result.passed for result in level.criteria)
    assert level.little_error is None
    criteria_met = observed(level, run)
    assert [passed for name, passed in criteria_met if name in criteria] == [False] * 5
    assert level.outcome == "failed" or level.generator.limited  # a busy machine


def test_a_surplus_user_makes_a_level_invalid() -> None:
    run = record(workload("closed", "10ms", serve(0.001), criteria=["p95<=200ms"]), 2, 0.8)
    level = run.level(run.between(0.3, 0.7), users=1)
    assert "2 users instead of 1" in level.reasons
    assert level.outcome == "invalid"
