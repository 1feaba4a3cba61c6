"""One second read back from a bundle, as the engine reported it.

The fields are those of the engine's `Interval` and its parts, so the functions that summed up a
level when it was measured can sum it up again. What a bundle does not store of a second is empty:
requests, examples of faults, and when each user last completed something.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headcount._engine import Histogram
from headcount.analyse.tally import NONE, Fault, Line, Scenario, Step, Task


@dataclass(frozen=True, slots=True)
class KeptScenario(Scenario):
    """A scenario's counts with the number pending, which the line has beside their ages."""

    pending_count: int


@dataclass(frozen=True, slots=True)
class Second:
    """A line of `series.ndjson` with the histograms of the same second."""

    line: int
    level: int
    phase: str
    users: int
    from_s: float
    to_s: float
    worker_cpu_s: list[float]
    think_s: float
    sessions_opened: int
    backlog: Histogram
    backlog_count: int
    backlog_overdue: int
    p95_ms: float | None
    scenarios: list[KeptScenario]
    steps: list[Step]
    tasks: list[Task]
    lines: list[Line]
    faults: list[Fault]
    timer_lateness: Histogram
    counters: Mapping[str, Mapping[str, float]]
    requests: Sequence[int] = ()
    completed: Sequence[tuple[float, int]] = ()
    logging_on: int = 0
    unserved: Sequence[tuple[float, int]] = ()


@dataclass(frozen=True, slots=True)
class Names:
    """The names behind the lists of a second, in order."""

    scenarios: Sequence[str]
    steps: Sequence[str]
    tasks: Sequence[str]
    lines: Sequence[str] = ()


def second_of(
    line: int, figures: Mapping[str, Any], times: Mapping[str, Histogram], names: Names
) -> Second:
    """A second from its line and its histograms by tag.

    Raises KeyError, TypeError or ValueError if the line is not a line of a series.
    """
    t_s, length_s = float(figures["t_s"]), float(figures["seconds"])
    return Second(
        line=line,
        level=int(figures["level"]),
        phase=str(figures["phase"]),
        users=int(figures["users"]),
        from_s=t_s - length_s,
        to_s=t_s,
        worker_cpu_s=[float(value) for value in figures["worker_cpu_s"]],
        think_s=float(figures["think_s"]),
        sessions_opened=int(figures["sessions_opened"]),
        backlog=times.get("backlog", NONE),
        backlog_count=int(figures["backlog"]),
        backlog_overdue=int(figures["backlog_overdue"]),
        p95_ms=figures["p95_ms"],
        scenarios=[_scenario(name, figures["scenarios"][name], times) for name in names.scenarios],
        steps=[_step(name, figures["steps"][name], times) for name in names.steps],
        tasks=[_task(name, figures.get("tasks", {}).get(name), times) for name in names.tasks],
        lines=[_line(name, figures["lines"][name], times) for name in names.lines],
        faults=[
            Fault(None if step is None else names.steps.index(step), str(kind), int(count))
            for step, kind, count in figures["faults"]
        ],
        timer_lateness=times.get("lateness", NONE),
        logging_on=int(figures.get("logging_on", 0)),
        unserved=[(float(since_s), int(users)) for since_s, users in figures.get("unserved", ())],
        counters=figures["counters"],
    )


def _scenario(name: str, of: Mapping[str, Any], times: Mapping[str, Histogram]) -> KeptScenario:
    return KeptScenario(
        started=of["started"],
        completed=of["completed"],
        failed=of["failed"],
        slow=of["slow"],
        late=of["late"],
        overloaded=of["overloaded"],
        overdue=of["overdue"],
        response_s=of["response_s"],
        service_s=of["service_s"],
        read_bytes=of["read_bytes"],
        written_bytes=of["written_bytes"],
        pending_count=of["pending"],
        response=times.get(f"response/{name}", NONE),
        service=times.get(f"service/{name}", NONE),
        pending=times.get(f"pending/{name}", NONE),
    )


def _step(name: str, of: Mapping[str, Any], times: Mapping[str, Histogram]) -> Step:
    return Step(
        completed=of["completed"],
        failed=of["failed"],
        service_s=of["service_s"],
        read_bytes=of["read_bytes"],
        written_bytes=of["written_bytes"],
        service=times.get(f"step/{name}", NONE),
    )


def _line(name: str, of: Mapping[str, Any], times: Mapping[str, Histogram]) -> Line:
    return Line(
        started=of["started"],
        completed=of["completed"],
        failed=of["failed"],
        overloaded=of["overloaded"],
        response=times.get(f"line/{name}", NONE),
    )


def _task(name: str, of: Mapping[str, Any] | None, times: Mapping[str, Histogram]) -> Task:
    if of is None:
        return Task(0, 0, 0.0, 0.0, times.get(f"task/{name}", NONE))
    return Task(
        completed=of["completed"],
        failed=of["failed"],
        service_s=of["service_s"],
        squares_ms2=of["squares_ms2"],
        service=times.get(f"task/{name}", NONE),
    )
