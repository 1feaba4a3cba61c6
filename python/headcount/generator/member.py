"""One agent of a fleet, as the controller knows it."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headcount.generator.clock import ClockOffset
from headcount.generator.line import Line
from headcount.generator.message import Message

SAME_S = 0.4
"""Agents report each second; reports that end this close together are of the same one."""


@dataclass(frozen=True, slots=True)
class Report:
    """What an agent reported of a second.

    Attributes:
        from_s: Its start, on the clock of the agent's engine.
        to_s: Its end.
        counters: Those of the agent's process, and what its engine did.
        figures: What its engine counted.

    """

    from_s: float
    to_s: float
    counters: Mapping[str, float]
    figures: bytes


@dataclass(eq=False)
class Member:
    """An agent.

    Attributes:
        number: From 1.
        line: The way to it.
        workers: Threads of its engine.
        speed: Blocks a second that its machine deflates; None if that was not measured.
        lanes: The numbers of its workers among those of all agents.
        about: What it reported about itself and its machine.
        clock: How its clock differs from the controller's.
        began_s: When its engine's clock began, on its own clock.
        late_s: How much later than that the engine was ready.
        spoke_s: When its last message of any kind came, on the controller's clock.
        heard_s: When it last reported a second, on the controller's clock.
        counters: Those of the last second that became part of a sum.
        reports: Seconds that are not part of a sum yet.
        answers: Messages that the controller waits for, by kind.
        is_open: Whether its line is.
        has_ended: Whether its engine has.

    """

    number: int
    line: Line
    workers: int
    lanes: Sequence[int] = ()
    speed: float | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    clock: ClockOffset = field(default_factory=ClockOffset)
    began_s: float = 0.0
    late_s: float = 0.0
    spoke_s: float = 0.0
    heard_s: float = 0.0
    reports: deque[Report] = field(default_factory=deque)
    answers: dict[str, Message] = field(default_factory=dict)
    counters: Mapping[str, float] = field(default_factory=dict)
    is_open: bool = True
    has_ended: bool = False

    @property
    def name(self) -> str:
        """For people: its number and its machine."""
        return f"agent {self.number} ({self.line.name})"

    @property
    def begin_s(self) -> float:
        """When its engine began, on the controller's clock."""
        return self.began_s - self.clock.ahead_s

    def its_s(self, at_s: float) -> float:
        """A moment of the controller's clock on the agent's."""
        return at_s + self.clock.ahead_s

    def end_s(self, report: Report) -> float:
        """When a report ends, on the controller's clock."""
        return self.begin_s + report.to_s

    def take_until(self, end_s: float) -> list[Report]:
        """Remove and return the reports until then."""
        taken = []
        while self.reports and self.end_s(self.reports[0]) <= end_s + SAME_S:
            taken.append(self.reports.popleft())
        return taken

    def users_of(self, users: int, workers: int) -> int:
        """How many of `users` it plays if all agents together have `workers`."""
        whole, rest = divmod(users, workers)
        return whole * self.workers + sum(lane < rest for lane in self.lanes)


def lanes_of(workers: Sequence[int]) -> list[list[int]]:
    """The numbers of each agent's workers, which users are dealt out to in turn.

    Numbers of agents alternate, so that each agent has its share of any number of users, to within
    a user where all have as many workers.
    """
    seats = [
        ((index + 0.5) / own, agent) for agent, own in enumerate(workers) for index in range(own)
    ]
    found: list[list[int]] = [[] for _ in workers]
    for lane, (_, agent) in enumerate(sorted(seats)):
        found[agent].append(lane)
    return found


def complete_until(members: list[Member]) -> float | None:
    """The time until which all have reported, on the controller's clock; None if some have not."""
    playing = [one for one in members if not one.has_ended]
    with_reports = [one for one in members if one.reports]
    if not with_reports or any(not one.reports for one in playing):
        return None
    end_s = max(one.end_s(one.reports[0]) for one in with_reports)
    if any(one.end_s(one.reports[-1]) < end_s - SAME_S for one in playing):
        return None
    return end_s
