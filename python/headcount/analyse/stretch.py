"""A stretch of a long level: consecutive seconds summed up, so that a long level costs no memory.

The fields are those of the engine's `Interval` and its parts. Counts are sums; states are those at
the end of the last second.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

from headcount._engine import Histogram, Interval
from headcount.analyse.tally import NONE, Fault, Line, Scenario, Step, Task


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive seconds summed up.

    A part of a level has no service times, steps, requests, faults, lines or timer lateness: only
    those of the whole level are used.
    """

    from_s: float
    to_s: float
    users: int
    logging_on: int
    completed: Sequence[tuple[float, int]]
    unserved: Sequence[tuple[float, int]]
    worker_cpu_s: list[float]
    think_s: float
    sessions_opened: int
    requests: list[int]
    scenarios: list[Scenario]
    steps: list[Step]
    tasks: list[Task]
    lines: list[Line]
    faults: list[Fault]
    timer_lateness: Histogram
    backlog: Histogram
    backlog_overdue: int


_SUMS = (
    *("started", "completed", "failed", "slow", "late", "overloaded"),
    *("response_s", "service_s", "read_bytes", "written_bytes"),
)
_STEP_SUMS, _TASK_SUMS = (
    tuple(field.name for field in fields(of) if field.name != "service") for of in (Step, Task)
)
_LINE_SUMS = ("started", "completed", "failed", "overloaded")


def summed(seconds: Sequence[Interval], *, is_whole: bool) -> Interval:
    """Sum up consecutive seconds or stretches; `is_whole` keeps what only a whole level needs."""
    last = seconds[-1]
    stretch = Stretch(
        from_s=seconds[0].from_s,
        to_s=last.to_s,
        users=last.users,
        logging_on=last.logging_on,
        completed=last.completed,
        unserved=last.unserved,
        worker_cpu_s=_added(each.worker_cpu_s for each in seconds),
        think_s=sum(each.think_s for each in seconds),
        sessions_opened=sum(each.sessions_opened for each in seconds),
        requests=_added(each.requests for each in seconds) if is_whole else [],
        scenarios=[
            _scenario(tallies, is_whole=is_whole)
            for tallies in zip(*(each.scenarios for each in seconds), strict=True)
        ],
        steps=_each(Step, _STEP_SUMS, [each.steps for each in seconds]) if is_whole else [],
        tasks=_each(Task, _TASK_SUMS, [each.tasks for each in seconds]),
        lines=_lines(seconds) if is_whole else [],
        faults=_faults(seconds) if is_whole else [],
        timer_lateness=_merged(each.timer_lateness for each in seconds) if is_whole else NONE,
        backlog=last.backlog,
        backlog_overdue=last.backlog_overdue,
    )
    # It has the fields of an interval but is not of the engine's class.
    return cast("Interval", stretch)


def _scenario(tallies: Sequence[Any], *, is_whole: bool) -> Scenario:
    last = tallies[-1]
    return Scenario(
        **{name: sum(getattr(tally, name) for tally in tallies) for name in _SUMS},
        response=_merged(tally.response for tally in tallies),
        service=_merged(tally.service for tally in tallies) if is_whole else NONE,
        pending=last.pending,
        overdue=last.overdue,
    )


def _each(
    of: Callable[..., Any], names: Sequence[str], lists: Sequence[Sequence[Any]]
) -> list[Any]:
    """The sums of each step, or of each task."""
    return [
        of(
            **{name: sum(getattr(tally, name) for tally in tallies) for name in names},
            service=_merged(tally.service for tally in tallies),
        )
        for tallies in zip(*lists, strict=True)
    ]


def _lines(seconds: Sequence[Interval]) -> list[Line]:
    return [
        Line(
            **{name: sum(getattr(tally, name) for tally in tallies) for name in _LINE_SUMS},
            response=_merged(tally.response for tally in tallies),
        )
        for tallies in zip(*(each.lines for each in seconds), strict=True)
    ]


def _faults(seconds: Sequence[Interval]) -> list[Fault]:
    found: dict[tuple[int | None, str, int], Fault] = {}
    for fault in (fault for each in seconds for fault in each.faults):
        key = fault.step, fault.kind, fault.group
        known = found.get(key)
        count = fault.count + (known.count if known else 0)
        # Each second carries the first messages of the run, so the last second has them all.
        found[key] = Fault(fault.step, fault.kind, count, fault.group, fault.examples)
    return list(found.values())


def _added(lists: Iterable[Sequence[Any]]) -> list[Any]:
    return [sum(values) for values in zip(*lists, strict=True)]


def _merged(parts: Iterable[Histogram]) -> Histogram:
    held = [part for part in parts if part.count]
    return held[0] if len(held) == 1 else Histogram.merge(held)
