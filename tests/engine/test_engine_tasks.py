"""Tasks: what sessions time inside steps, as the binding reports it."""

import pytest
from engine_plans import closed, drain, plan, pull_until, scenario, serve, start

from headcount import _engine
from headcount._engine import Histogram
from headcount.errors import InputError
from headcount.plan.tasks import tasks_of
from headcount.protocols.registry import protocols

LOOK = serve(0.004) | {"task": "look"}
LONG_LOOK = serve(0.012) | {"task": "look"}
FAILED_CHANGE = {"op": "fail", "ends_session": False, "task": "change"}


@pytest.mark.parametrize("protocol", protocols())
def test_the_engine_has_every_protocol(protocol: str) -> None:
    assert tasks_of(protocol) == tuple(_engine.task_names(protocol))


def test_tasks_of_two_protocols_are_those_of_both() -> None:
    assert tasks_of("mail+sql") == (*(tasks_of("mail") or ()), *(tasks_of("sql") or ()))


def test_a_protocol_that_the_engine_does_not_have_is_refused() -> None:
    assert tasks_of("gopher") is None
    with pytest.raises(InputError, match='no protocol "gopher"'):
        _engine.task_names("gopher")


def test_sums_and_histograms_of_each_interval_agree_with_its_steps() -> None:
    text = plan(closed(0.02), scenario("round", LOOK, LONG_LOOK, FAILED_CHANGE))
    engine = start(text)
    assert engine.task_names == ["look", "change"]
    engine.set_users(20, 0.0)
    intervals = pull_until(engine, 1.2) + drain(engine)
    assert sum(interval.tasks[0].completed for interval in intervals) > 200
    for interval in intervals:
        look, change = interval.tasks
        short, long, failing = interval.steps
        assert look.completed == look.service.count == short.completed + long.completed
        assert look.failed == 0
        assert (change.completed, change.service_s, change.squares_ms2) == (0, 0.0, 0.0)
        assert change.failed == failing.failed
        # A task is within its step, and no shorter than the service asked for.
        asked_s = 0.004 * short.completed + 0.012 * long.completed
        stepped_s = short.service_s + long.service_s
        assert asked_s * (1 - 1e-9) <= look.service_s <= stepped_s * (1 + 1e-9)
        # The sum of squares is at least the square of the sum over n, and at most n times it.
        sum_ms = look.service_s * 1000
        if look.completed:
            least = sum_ms**2 / look.completed
            assert least * (1 - 1e-6) <= look.squares_ms2 <= sum_ms**2 * (1 + 1e-6)
    merged = Histogram.merge([interval.tasks[0].service for interval in intervals])
    squares = sum(interval.tasks[0].squares_ms2 for interval in intervals)
    assert squares >= merged.count / 2 * (4**2 + 12**2)  # none was faster than asked for


def test_steps_without_a_task_are_not_counted() -> None:
    engine = start(plan(closed(0.01), scenario("plain", serve(0.001))))
    engine.set_users(5, 0.0)
    intervals = pull_until(engine, 0.5) + drain(engine)
    assert sum(interval.scenarios[0].completed for interval in intervals) > 20
    assert all(t.completed == t.failed == 0 for i in intervals for t in i.tasks)
