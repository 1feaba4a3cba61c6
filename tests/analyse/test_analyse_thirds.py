"""Steady state: thirds that agree, and settling that is prolonged until they do."""

from base64 import b64decode
from dataclasses import dataclass, replace
from typing import cast

import pytest
from hdrh.histogram import HdrHistogram
from null_run import plan_of, record, serve, workload

from headcount._engine import Histogram, Interval
from headcount.analyse.thirds import UNANSWERED, disagreement
from headcount.analyse.window import Window
from headcount.controller.settling import MOST, settle
from headcount.errors import InputError
from headcount.plan.plan import Plan, validate
from headcount.plan.workload import Workload

JOIN_S = 2.0


@dataclass(frozen=True)
class Tally:
    completed: int
    response: Histogram
    failed: int = 0


@dataclass(frozen=True)
class Report:
    """What is read of a report of the engine."""

    from_s: float
    to_s: float
    scenarios: list[Tally]


def report(number: int, completed: int, slow_ms: float = 50) -> Interval:
    """The tenth of a second with this number, in which one in ten took `slow_ms`, the others 20."""
    times = HdrHistogram(1, 3_600_000_000, 3)
    slow = completed // 10
    if slow:
        times.record_value(round(slow_ms * 1000), slow)
    if completed > slow:
        times.record_value(20_000, completed - slow)
    histogram = Histogram.decode(b64decode(times.encode()))
    tally = Tally(completed, histogram)
    return cast("Interval", Report(number / 10, (number + 1) / 10, [tally]))


@pytest.fixture
def joining() -> list[Interval]:
    """Two seconds in which throughput rises from nothing, then six in which it stays."""
    return [report(number, min(number, 20) * 20) for number in range(80)]


def between(intervals: list[Interval], from_s: float, to_s: float) -> list[Interval]:
    return [each for each in intervals if from_s < each.to_s <= to_s + 0.05]


def test_thirds_agree_only_once_all_users_are_there(joining: list[Interval]) -> None:
    rising = disagreement(between(joining, 0.2, JOIN_S))
    assert rising[0].startswith("the throughputs of its thirds lie ")
    assert disagreement(between(joining, JOIN_S, 8.0)) == []


def test_the_stated_difference_is_that_of_the_counts(joining: list[Interval]) -> None:
    part = between(joining, 0.2, JOIN_S)
    length = len(part) // 3
    last = part[-3 * length :]
    rates = []
    for at in (0, length, 2 * length):
        third = last[at : at + length]
        ended = sum(i.scenarios[0].completed + i.scenarios[0].failed for i in third)
        rates.append(ended / Window(third, None).seconds)
    apart = 3 * (max(rates) - min(rates)) / sum(rates)
    assert f"lie {100 * apart:.1f}" in disagreement(part)[0].replace(" %", "")


def test_times_that_grow_are_not_steady() -> None:
    growing = [report(number, 400, 50 + number) for number in range(60)]
    (slower,) = disagreement(growing)
    # The p95 of a third is the 50th of its hundred slow ones: 60, 80 and 100 ms, within its bucket.
    assert slower.startswith("the p95 of its thirds lie ")
    assert disagreement([report(number, 400, 50 + number / 60) for number in range(60)]) == []


def test_few_scenarios_may_differ_by_chance() -> None:
    few = [report(number, (1, 2, 1, 1, 2, 1)[number // 10]) for number in range(60)]
    assert disagreement(few) == []
    many = [report(number, 100 * (1, 2, 1, 1, 2, 1)[number // 10]) for number in range(60)]
    assert disagreement(many)
    assert disagreement(few[:2]) == ["it is shorter than three reports of the engine"]
    assert disagreement([*few[:2], report(2, 0)]) == [UNANSWERED]


class Clock:
    """Gives out a recording as a run would, and notes what it was asked for."""

    def __init__(self, recording: list[Interval]) -> None:
        self.left = list(recording)
        self.now_s = 0.0
        self.asked: list[tuple[float, float]] = []

    def hold(self, length_s: float, held_s: float) -> list[Interval]:
        self.asked.append((length_s, held_s))
        self.now_s += length_s
        some = [each for each in self.left if each.to_s <= self.now_s + 0.05]
        self.left = self.left[len(some) :]
        return some


def test_settling_goes_on_until_its_last_part_is_steady(joining: list[Interval]) -> None:
    clock = Clock(joining)
    took_s, wrong = settle(1.5, clock.hold)
    assert wrong == []
    # All are there after 2 s; the 1.5 s that are compared begin at about that time.
    assert 2.5 <= took_s <= 5.0
    assert [round(length, 6) for length, _ in clock.asked] == [1.5] + [0.5] * (len(clock.asked) - 1)
    assert clock.asked[1][1] == pytest.approx(1.5)


def test_settling_has_an_end() -> None:
    clock = Clock([report(number, 0) for number in range(60)])
    took_s, wrong = settle(1.0, clock.hold)
    assert took_s == pytest.approx(MOST * 1.0)
    assert wrong == [UNANSWERED]
    assert settle(1.0, Clock([]).hold) == (0.0, ["it is shorter than three reports of the engine"])


def test_a_passing_level_that_was_never_steady_does_not_count() -> None:
    run = record(workload("closed", "100ms", serve(0.05), criteria=["p95<=30s"]), 20, 2.0)
    window = run.between(0.5, 2.0)
    demanding = replace(run, plan=strict())
    level = demanding.level(window, unsettled=[UNANSWERED])
    assert level.outcome == "invalid"
    assert f"it never got steady: after 0 s of settling {UNANSWERED}" in level.reasons
    unsteady = [reason for reason in level.reasons if "steady" in reason]
    for other in (run.level(window, unsettled=[UNANSWERED]), demanding.level(window)):
        assert not [reason for reason in other.reasons if "steady" in reason]
    broken = replace(run, plan=strict(limit="p95<=10ms")).level(window, unsettled=[UNANSWERED])
    assert not [reason for reason in broken.reasons if reason in unsteady]


def strict(limit: str = "p95<=30s", **run: str) -> Plan:
    base = workload("closed", "100ms", serve(0.05), criteria=[limit])
    values = base.model_dump(exclude_none=True)
    values["run"] |= {"steady": "required"} | run
    return plan_of(validate(Workload, values, "the workload"))


def test_a_steady_state_needs_time_to_settle() -> None:
    assert strict().workload.run.steady == "required"
    with pytest.raises(InputError, match="settle must be at least 3s; it is 2s"):
        strict(settle="2s")
