"""Counters of agents: of each, and of all of them as one generator."""

import time
from collections.abc import Mapping, Sequence
from typing import Protocol

from headcount.counters.naming import agent_side
from headcount.counters.source import Sample
from headcount.generator.member import Member
from headcount.generator.playing import BUSIEST, FAILED, LATENESS, RATE, USERS

CLOCK_ERROR = "agent.clock.error"
OWN = (USERS, RATE, FAILED, BUSIEST, LATENESS, "process.cpu.utilization", "cgroup.cpu.throttled")
"""Counters of an agent that a bundle keeps, beside those of the generator as a whole."""
SUMMED = (
    "process.count",
    "process.threads",
    "process.memory.usage",
    "process.memory.pss",
    "process.open_file_descriptors",
    "process.context_switches",
    "process.cpu.utilization",
    "process.disk.io",
    "process.paging.faults",
)
"""Counters, without attributes, that are amounts: they add up over agents on one machine."""


class Agents(Protocol):
    """A fleet."""

    @property
    def members(self) -> Sequence[Member]:
        """Its agents."""
        ...


class FleetSource:
    """The generator as a whole: each counter has its highest value over all machines.

    A generator is as good as its worst machine. Amounts of agents on one machine are summed.
    """

    name = "generator"

    def __init__(self, fleet: Agents) -> None:
        """Sample the agents that the fleet has at the time."""
        self._fleet = fleet

    def sample(self) -> Sample:
        """The last second that all agents reported."""
        by_machine: dict[str, list[Mapping[str, float]]] = {}
        for member in self._fleet.members:
            by_machine.setdefault(str(member.about.get("boot")), []).append(member.counters)
        machines = [together(agents) for agents in by_machine.values()]
        names = dict.fromkeys(name for one in machines for name in one)
        highest = {name: max(one[name] for one in machines if name in one) for name in names}
        return Sample(time.monotonic(), highest)

    def close(self) -> None:
        """Nothing is held."""


def together(agents: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Counters of several agents on one machine."""
    names = dict.fromkeys(name for one in agents for name in one if not name.startswith("agent."))
    found = {}
    for name in names:
        values = [one[name] for one in agents if name in one]
        found[name] = sum(values) if name.partition("{")[0] in SUMMED else max(values)
    return found


class AgentSource:
    """One agent."""

    def __init__(self, member: Member) -> None:
        """Of an agent."""
        self.name = agent_side(member.number)
        self._member = member

    def sample(self) -> Sample:
        """The last second that it reported."""
        counters = self._member.counters
        found = {name: counters[name] for name in OWN if name in counters}
        if found:
            found[CLOCK_ERROR] = self._member.clock.error_s * 1000
        return Sample(time.monotonic(), found)

    def close(self) -> None:
        """Nothing is held."""
