"""Intervals of the engine add up exactly, however slowly they are read."""

import time
from itertools import pairwise

from engine_plans import (
    FAIL,
    NOTHING,
    closed,
    drain,
    opened,
    plan,
    pull_until,
    scenario,
    serve,
    start,
)

from headcount._engine import Engine, Histogram, Interval

EVERY_S = 0.01
USERS = 20
SLACK_S = 0.25
"""What a busy machine may take until all users have stopped."""
MOST_LATE = 0.3
"""Share of the schedule that a busy machine may not have begun. Of two reports, one is more."""


def assert_scheduled(intervals: list[Interval], length_s: float) -> None:
    """What began is what the schedule holds for this time: one scenario each 10 ms and user."""
    assert intervals[0].from_s == 0
    assert all(one.to_s == two.from_s for one, two in pairwise(intervals))
    expected = USERS * length_s / EVERY_S
    assert (1 - MOST_LATE) * expected <= started(intervals)
    assert started(intervals) <= expected + USERS * SLACK_S / EVERY_S


def schedule(engine: Engine) -> tuple[float, list[Interval]]:
    """Play an open schedule for about a second, pulled all the time; when it began and ended."""
    began_s = engine.now_s()
    engine.set_users(USERS, 0.0)
    intervals = pull_until(engine, 1.0)
    ended_s = engine.now_s()
    return ended_s - began_s, intervals + drain(engine)


def started(intervals: list[Interval]) -> int:
    return sum(count.started for interval in intervals for count in interval.scenarios)


def test_a_prompt_reader_sees_what_the_schedule_holds() -> None:
    engine = start(plan(opened(EVERY_S), scenario("work", serve(0.001))))
    length_s, intervals = schedule(engine)
    assert_scheduled(intervals, length_s)


def test_a_reader_who_sleeps_three_seconds_before_and_between_calls_loses_nothing() -> None:
    engine = start(plan(opened(EVERY_S), scenario("work", serve(0.001))))
    began_s = engine.now_s()
    engine.set_users(USERS, 0.0)
    time.sleep(3.0)  # longer than thirty reports, before the first call
    first = engine.next(1.0)
    time.sleep(3.0)
    second = engine.next(1.0)
    assert first is not None
    assert second is not None
    length_s = engine.now_s() - began_s
    intervals = [first, second, *drain(engine)]
    assert second.to_s - first.to_s > 2.8
    assert_scheduled(intervals, length_s)
    ended = sum(c.completed + c.failed for i in intervals for c in i.scenarios)
    assert ended == started(intervals)


def test_every_figure_agrees_with_every_other() -> None:
    think_s = 0.02
    text = plan(
        closed(think_s),
        scenario("good", serve(0.001), NOTHING),
        scenario("bad", NOTHING, FAIL, NOTHING),
    )
    engine = start(text)
    assert engine.step_names == ["good-0", "good-1", "bad-0", "bad-1", "bad-2"]
    engine.set_users(USERS, 0.0)
    intervals = pull_until(engine, 1.5) + drain(engine)
    assert intervals[0].from_s == 0
    assert all(one.to_s == two.from_s for one, two in pairwise(intervals))
    good = [interval.scenarios[0] for interval in intervals]
    bad = [interval.scenarios[1] for interval in intervals]
    completed, failed = sum(c.completed for c in good), sum(c.failed for c in bad)
    assert completed > 100
    assert failed > 100
    assert sum(c.failed for c in good) == sum(c.completed for c in bad) == 0
    assert sum(c.started for c in good) == completed
    for pick in ("response", "service"):
        assert Histogram.merge([getattr(c, pick) for c in good]).count == completed
        assert Histogram.merge([getattr(c, pick) for c in bad]).count == 0  # a fault is no fast end
    steps = [[interval.steps[index] for interval in intervals] for index in range(5)]
    assert [sum(s.completed for s in step) for step in steps] == [
        completed,
        completed,
        failed,
        0,
        0,
    ]
    assert [sum(s.failed for s in step) for step in steps] == [0, 0, 0, failed, 0]
    faults = [fault for interval in intervals for fault in interval.faults]
    assert sum(fault.count for fault in faults) == failed
    assert {(fault.step, fault.kind) for fault in faults} == {(3, "refused")}
    assert faults[-1].examples == ["the workload asked for this failure"]
    assert sum(interval.sessions_opened for interval in intervals) == USERS
    # Between two scenarios of a user lies a whole think time, before the first and after the last a
    # part of one.
    thought_s = sum(interval.think_s for interval in intervals)
    assert -1e-5 <= thought_s - (completed + failed - USERS) * think_s <= 2 * USERS * think_s
    assert [c.pending.count for c in (good[-1], bad[-1])] == [0, 0]


def test_unfinished_scenarios_are_pending_with_their_age_since_due() -> None:
    engine = start(plan(closed(0.0), scenario("long", serve(60.0), limit_ms=300)))
    engine.set_users(USERS, 0.0)
    last = pull_until(engine, 1.0)[-1]
    engine.close()
    pending = last.scenarios[0].pending
    assert pending.count == USERS == last.users
    assert 0.5e6 < pending.quantile_us(0.0) <= pending.max_us < 1.2e6
    assert last.scenarios[0].completed == 0


def test_stalls_of_the_null_server_are_response_times() -> None:
    target = '{"stall_every_ms": 600, "stall_lasting_ms": 300}'
    engine = start(plan(opened(0.02), scenario("work", serve(0.001))), target)
    engine.set_users(USERS, 0.0)
    intervals = pull_until(engine, 1.8)
    engine.close()
    merged = Histogram.merge([interval.scenarios[0].response for interval in intervals])
    # Two stalls of 0.3 s began within 1.8 s: of what fell due in them the first waited 0.3 s, or
    # longer where the machine was busy with something else.
    assert 0.28e6 < merged.max_us < 0.8e6
    assert 0.15 < merged.count_above(20_000) / merged.count < 0.7
