"""Contents of reports of runs that several agents played, from three to very many."""

from collections.abc import Sequence
from dataclasses import replace

from report_factory import content, level

from headcount.bundle.agents import Agent, Fleet, Moment
from headcount.bundle.level import CounterSummary, LevelResult
from headcount.report.content import ReportContent

USERS = (100, 400, 800, 1200)


def summary(value: float) -> CounterSummary:
    return CounterSummary(mean=value, max=value * 1.2, p95=value * 1.1, samples=300)


def agent(number: int, machine: str | None = None) -> Agent:
    return Agent(
        number=number,
        machine=machine or f"load{number}",
        host=machine,
        cpus=8,
        workers=8,
        late_ms=0.4,
        clock_error_ms=0.2,
    )


def fleet(*numbers: int, since: Moment | None = None, lost: Sequence[int] = ()) -> Fleet:
    return Fleet({one: agent(one) for one in numbers}, since or Moment(), frozenset(lost))


def level_of_agents(one: LevelResult, numbers: Sequence[int], slow: int | None = 2) -> LevelResult:
    """A level whose agents have equal parts of the users; the slow one does less, and is full."""
    users = one.users / len(numbers)
    counters = dict(one.counters)
    for number in numbers:
        busy = 0.0006 * one.users
        is_slow = number == slow
        counters[f"agent-{number}"] = {
            "agent.users": summary(users),
            "agent.scenarios": summary(users / 5.2 * (0.7 if is_slow and busy > 0.4 else 1.0)),
            "agent.failures": summary(0.0),
            "agent.worker.busiest": summary(min(busy * (1.8 if is_slow else 1.0), 0.99)),
            "process.cpu.utilization": summary(8 * busy),
            "agent.timer.lateness": summary(12.5 if is_slow else 0.2 + number / 1000),
            "agent.clock.error": summary(0.1 + number / 1000),
        }
    return one.model_copy(update={"counters": counters})


def levels(numbers: Sequence[int], slow: int | None = 2) -> list[LevelResult]:
    """A ladder; the slow agent is full from 800 users on, which makes the last level invalid."""
    outcomes = ("passed", "passed", "passed", "invalid")
    return [
        level_of_agents(level(index, users, outcome=outcome), numbers, slow)
        for index, (users, outcome) in enumerate(zip(USERS, outcomes, strict=True), 1)
    ]


def agents(number: int = 3, slow: int | None = 2) -> ReportContent:
    """A run by this many agents, each on a machine of its own."""
    numbers = range(1, number + 1)
    made = levels(numbers, slow)
    capacity = content().verdict.capacity
    assert capacity is not None
    verdict = content().verdict.model_copy(
        update={"capacity": capacity.model_copy(update={"users": 800, "estimate": 812.0})}
    )
    return replace(content(), verdict=verdict, levels=made, agents=[fleet(*numbers)])
