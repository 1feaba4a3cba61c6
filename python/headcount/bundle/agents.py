"""Who played the users of a run with several agents, from its events."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

EVENT, LOST = "agents", "agents-lost"
"""Names of the events."""


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent; a field that the event lacks, or has in another shape, is None.

    Attributes:
        number: Its number, from 1.
        machine: The controller's name for its machine.
        host: The machine's own name.
        cpus: CPUs that it may use there.
        workers: Threads of its engine.
        late_ms: How late its engine was ready.
        clock_error_ms: Upper bound on the error of its clock offset.

    """

    number: int
    machine: str | None
    host: str | None
    cpus: int | None
    workers: int | None
    late_ms: float | None
    clock_error_ms: float | None


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of the run.

    Attributes:
        level: Number of the level that had started last; None before the first.
        users: Users of that level.
        is_during: Whether that level had not ended.

    """

    level: int | None = None
    users: int | None = None
    is_during: bool = False


@dataclass(frozen=True, slots=True)
class Fleet:
    """The agents that played from a moment on.

    Attributes:
        agents: The agents by number.
        since: The moment from which they played.
        lost: Numbers of agents from before it that were lost.

    """

    agents: Mapping[int, Agent]
    since: Moment
    lost: frozenset[int] = frozenset()


def fleets(events: Iterable[Mapping[str, Any]]) -> list[Fleet]:
    """The fleets from the first agents to those that were left; empty if one process played."""
    return [fleet for fleet, _ in _course(events) if fleet is not None]


def machines_at(events: Iterable[Mapping[str, Any]], level: int) -> dict[int, str]:
    """The machine of each agent that played a level, by number, as of the level's last start."""
    found: dict[int, str] = {}
    now: Mapping[int, Agent] = {}
    for fleet, began in _course(events):
        if fleet is not None:
            now = fleet.agents
        elif began == level:
            found = machines(now.values())
    return found


def machines(agents: Iterable[Agent]) -> dict[int, str]:
    """The controller's name for the machine of each agent, by number."""
    return {one.number: one.machine for one in agents if one.machine is not None}


def agents_of(facts: Mapping[str, Any]) -> dict[int, Agent]:
    """The agents of an event, by number; invalid entries are left out."""
    listed = facts.get("agents")
    found = [_agent(one) for one in listed] if isinstance(listed, list) else []
    return {one.number: one for one in found if one is not None}


def _course(events: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Fleet | None, int | None]]:
    """Each change of the agents, and the number of each level as it starts, in order."""
    at, before, was_lost = Moment(), frozenset[int](), False
    for event in events:
        kind = event["event"]
        if kind == "level-start":
            at = Moment(_whole(event.get("level")), _whole(event.get("users")), is_during=True)
            yield None, at.level
        elif kind == "level-end":
            at = Moment(at.level, at.users)
        elif kind == LOST:
            was_lost = True
        elif kind == EVENT:
            agents = agents_of(event)
            numbers = frozenset(agents)
            yield Fleet(agents, at, before - numbers if was_lost else frozenset()), None
            before, was_lost = numbers, False


def _agent(value: Any) -> Agent | None:
    number = _whole(value.get("number")) if isinstance(value, Mapping) else None
    if not number:
        return None
    return Agent(
        number=number,
        machine=_text(value.get("machine")),
        host=_text(value.get("host")),
        cpus=_whole(value.get("cpus")),
        workers=_whole(value.get("workers")),
        late_ms=_figure(value.get("late_ms")),
        clock_error_ms=_figure(value.get("clock_error_ms")),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _whole(value: Any) -> int | None:
    """A whole number that is not negative and not implausibly large; else None."""
    is_one = isinstance(value, int) and not isinstance(value, bool)
    return value if is_one and 0 <= value < 1 << 31 else None


def _figure(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None
