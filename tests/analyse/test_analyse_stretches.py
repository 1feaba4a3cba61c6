"""A long level that is kept in stretches has the figures that it has second by second."""

import random
from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest
from history import Count, Slice, Task, histogram, task
from null_run import plan_of, serve, workload

from headcount._engine import Interval
from headcount.analyse.level import Measured, summarise
from headcount.analyse.seconds import MOST_SECONDS, STRETCHES, seconds_of, stretch_s
from headcount.bundle.level import LevelResult
from headcount.plan.plan import Plan

USERS = 50
LENGTH = 2400
STOPPED = range(1000, 1012)
"""Seconds in which the server answers nothing, and all its users wait."""


class Fault:
    """Stands in for a `FaultCount`."""

    def __init__(self, count: int, group: int) -> None:
        """Count faults with messages of a group."""
        self.step, self.kind, self.group, self.count = 0, "timeout", group, count
        self.examples = [f"message {group}"]


def _count(drawn: random.Random, *, stopped: bool) -> Count:
    times = [] if stopped else [drawn.randint(100, 1900) for _ in range(drawn.randint(8, 12))]
    failed = 0 if stopped else drawn.randint(0, 1)
    return Count(
        started=len(times) + failed,
        completed=len(times),
        failed=failed,
        slow=sum(time > 1500 for time in times),
        overloaded=failed,
        response_s=sum(times) / 1e6,
        service_s=sum(times) / 2e6,
        read_bytes=1000 * len(times),
        written_bytes=300,
        response=histogram(times),
        service=histogram([time // 2 for time in times]),
        pending=histogram([1_000_000] * (USERS // 2 if stopped else drawn.randint(0, 2))),
    )


def _second(at: int, drawn: random.Random) -> Slice:
    counts = [_count(drawn, stopped=at in STOPPED) for _ in range(2)]
    made = [task([drawn.randint(100, 1900)]) if drawn.random() < 0.5 else Task()]
    return Slice(
        at,
        at + 1.0,
        counts,
        users=USERS,
        completed=[(at - 30.0, 10), (float(at), 40)],
        worker_cpu_s=[0.1, drawn.random() / 10],
        think_s=USERS - 1,
        steps=counts,
        tasks=made,
        lines=counts,
        requests=[counts[0].completed, counts[1].completed],
        faults=[Fault(counts[0].failed, at % 3)] if counts[0].failed else [],
        timer_lateness=histogram([drawn.randint(1, 90) for _ in range(20)]),
    )


@pytest.fixture(scope="module")
def plan() -> Plan:
    criteria = ["p95<=2ms", "errors<20%", "rate>=5/s for 60s", "sut:cpu>=10%"]
    made = plan_of(
        workload("closed", "1s", serve(0.001), serve(0.001), criteria=criteria, limit="2ms")
    )
    return made.model_copy(update={"lines": {"branch": {"share": "40%", "loss": "1%"}}})


@pytest.fixture(scope="module")
def seconds() -> list[Slice]:
    drawn = random.Random(7)
    return [_second(at, drawn) for at in range(LENGTH)]


@pytest.fixture(scope="module")
def make_level(plan: Plan, seconds: list[Slice]) -> Callable[[float, int], LevelResult]:
    def level(length_s: float, number: int) -> LevelResult:
        kept = seconds_of(plan, ["task"], None, length_s)
        for second in seconds[:number]:
            kept.add(cast("Interval", second))
        measured = Measured(
            index=1,
            purpose="only",
            users=USERS,
            started_at="2026-01-01T00:00:00.000+00:00",
            ramp_s=0.0,
            settle_s=0.0,
            window=kept.window(),
            step_names=["a", "b"],
            request_names=["GET", "PUT"],
            task_names=["task"],
            counters={},
            second_counters=[
                {"sut": {"system.cpu.utilization": 0.05 if at % 90 else 1.0}}
                for at in range(number)
            ],
            stretch_s=length_s,
        )
        return summarise(plan, measured)

    return level


INEXACT = {"p95_interval_ms", "rate_interval_per_s", "bytes_interval_per_s", "interval_per_minute"}
PARTS = {"batches", "p95_interval_unreliable", "steadiness", "stretch_s", "least", "own_delay"}


def differences(one: Any, other: Any, at: str = "") -> list[str]:
    """Where two records differ in what does not depend on how the level is cut."""
    if isinstance(one, dict):
        keys = one.keys() - PARTS
        return [d for key in keys for d in differences(one[key], other[key], f"{at}.{key}")]
    if at.rpartition(".")[2] in INEXACT and one is not None:
        middle, ends = (sum(one) / 2, sum(other) / 2), (one[1] - one[0], other[1] - other[0])
        alike = middle[0] == pytest.approx(middle[1], rel=0.01) and ends[1] < 4 * ends[0]
        return [] if alike else [f"{at}: {one} and {other}"]
    if isinstance(one, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [d for place, (a, b) in pairs for d in differences(a, b, f"{at}[{place}]")]
    alike = other == (pytest.approx(one) if isinstance(one, float) else one)
    return [] if alike else [f"{at}: {one} and {other}"]


@pytest.mark.parametrize("number", [LENGTH, 1700, 1003])
def test_figures_are_those_of_the_seconds(
    make_level: Callable[[float, int], LevelResult], number: int
) -> None:
    fine, coarse = (make_level(length_s, number) for length_s in (1.0, stretch_s(LENGTH)))
    assert differences(fine.model_dump(), coarse.model_dump()) == []
    assert [stall.after_s for stall in coarse.stalls] == [1000.0]
    assert coarse.steps[0].service is not None
    others, branch = coarse.lines
    assert (others.users, branch.users) == (30, 20)
    assert [others.completed, branch.completed] == [one.completed for one in coarse.scenarios]
    assert coarse.requests["GET"] == coarse.scenarios[0].completed
    assert sum(group.count for group in coarse.faults[0].groups) == coarse.scenarios[0].failed
    amount = next(one for one in coarse.criteria if one.criterion.startswith("rate"))
    assert amount.value is not None
    if number > 1012:  # the worst minute has the stop
        assert amount.value == pytest.approx(20 * 48 / 60, rel=0.1)


def test_long_levels_are_kept_in_few_stretches(plan: Plan, seconds: list[Slice]) -> None:
    def kept(measure_s: float, some: Sequence[Slice]) -> int:
        level = seconds_of(plan, ["task"], None, stretch_s(measure_s))
        for second in some:
            level.add(cast("Interval", second))
        return len(level.window().intervals)

    assert kept(MOST_SECONDS, seconds[:MOST_SECONDS]) == MOST_SECONDS
    assert kept(LENGTH, seconds) == STRETCHES
    assert STRETCHES * 0.9 < kept(LENGTH * 0.99, seconds) <= STRETCHES * 1.1
    assert kept(LENGTH * 36, seconds) == 4
