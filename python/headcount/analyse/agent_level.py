"""What each agent did at a level, and which of them were full."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low

from headcount.analyse.generator import BUSY_SHARE, PROMPT_MS
from headcount.bundle.level import CounterSummary, LevelResult
from headcount.counters.naming import agent_number

USERS, RATE, BUSIEST = "agent.users", "agent.scenarios", "agent.worker.busiest"
"""An agent's counters: its users, their scenarios a second, the CPU of its busiest worker."""
LATENESS, CLOCK_ERROR = "agent.timer.lateness", "agent.clock.error"
CPU = "process.cpu.utilization"
LATE_TIMES = 5.0
"""Factor by which an agent's timers must be later than the median agent's to count as late. They
must also be later than a quiet machine's: below a millisecond the differences mean nothing."""
Counters = Mapping[str, Mapping[str, CounterSummary]]
"""A level's counters, by side and name."""


@dataclass(frozen=True, slots=True)
class AtLevel:
    """What an agent did at a level, on average; None for a figure that was not sampled.

    Attributes:
        number: The agent's number, from 1.
        users: Users that it played.
        per_s: Scenarios per second that they completed.
        busiest: CPU of its busiest worker, as a share of a core.
        cores: CPU of the whole agent, in cores.
        late_ms: The 99th percentile of its timers' lateness.
        clock_error_ms: Upper bound on the error of its clock offset.

    """

    number: int
    users: float | None
    per_s: float | None
    busiest: float | None
    cores: float | None
    late_ms: float | None
    clock_error_ms: float | None

    @property
    def is_busy(self) -> bool:
        """Whether its users waited for its CPU."""
        return self.busiest is not None and self.busiest > BUSY_SHARE


def at_level(counters: Counters) -> list[AtLevel]:
    """The agents that played a level, by number; empty if a single process played it."""
    sides = [(agent_number(side), found) for side, found in counters.items()]
    known = sorted((number, found) for number, found in sides if number is not None)
    names = (USERS, RATE, BUSIEST, CPU, LATENESS, CLOCK_ERROR)
    return [AtLevel(number, *(_mean(found, name) for name in names)) for number, found in known]


def full(agents: Sequence[AtLevel]) -> list[AtLevel]:
    """The agents whose CPU was full; if there are none, those later than most of the others."""
    busy = [one for one in agents if one.is_busy]
    late = [one.late_ms for one in agents if one.late_ms is not None]
    if busy or not late:
        return busy
    limit_ms = max(PROMPT_MS, LATE_TIMES * median_low(late))
    return [one for one in agents if one.late_ms is not None and one.late_ms > limit_ms]


def relative(agents: Sequence[AtLevel]) -> dict[int, float]:
    """Throughput per user of each agent, relative to the mean over all users.

    Users are alike on every agent, so all shares are about 1. A smaller share means that the agent
    or its path to the server is slow. By number; agents that were not sampled are left out.
    """
    known = [
        (one.number, one.users, one.per_s) for one in agents if one.users and one.per_s is not None
    ]
    users, per_s = sum(one for _, one, _ in known), sum(one for _, _, one in known)
    if not per_s:
        return {}
    return {number: its_per_s / its / (per_s / users) for number, its, its_per_s in known}


def full_from(levels: Sequence[LevelResult]) -> dict[int, int]:
    """The fewest users at which each agent was full, by number; without those that never were.

    An agent that was only late counts where the load generator was the limit of the level.
    """
    found: dict[int, int] = {}
    for level in levels:
        agents = full(at_level(level.counters))
        for one in agents:
            if one.is_busy or level.generator.reasons:
                found[one.number] = min(level.users, found.get(one.number, level.users))
    return found


def _mean(counters: Mapping[str, CounterSummary], name: str) -> float | None:
    value = counters[name].mean if name in counters else None
    return value if value is not None and math.isfinite(value) and value >= 0 else None
