"""What each agent did at a level, and which of them were full."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low

from headcount.analyse.generator import BUSY_SHARE, PROMPT_MS
from headcount.bundle.level import CounterSummary, LevelResult
from headcount.counters.naming import agent_number

USERS, RATE, BUSIEST = "agent.users", "agent.scenarios", "agent.worker.busiest"
"""Counters of an agent: users that it plays, what they do, and the CPU of its busiest worker."""
LATENESS, CLOCK_ERROR = "agent.timer.lateness", "agent.clock.error"
CPU = "process.cpu.utilization"
LATE_TIMES = 5.0
"""An agent is late whose timers are later than those of the median agent by this factor, and than
those of a quiet machine: below a millisecond agents differ by more, which means nothing."""
Counters = Mapping[str, Mapping[str, CounterSummary]]
"""Of a level, by side."""


@dataclass(frozen=True, slots=True)
class AtLevel:
    """What an agent did at a level, on average; None where it was not sampled.

    Attributes:
        number: Of the agent, from 1.
        users: Users that it played.
        per_s: Scenarios that they completed.
        busiest: CPU of its busiest worker, of a core.
        cores: CPU of the whole agent, in cores.
        late_ms: Its lateness: one in a hundred of its timers was at least this late.
        clock_error_ms: At most how wrong the difference of its clock was known.

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
    """The agents that played a level, by number; none where one process did."""
    sides = [(agent_number(side), found) for side, found in counters.items()]
    known = sorted((number, found) for number, found in sides if number is not None)
    names = (USERS, RATE, BUSIEST, CPU, LATENESS, CLOCK_ERROR)
    return [AtLevel(number, *(_mean(found, name) for name in names)) for number, found in known]


def full(agents: Sequence[AtLevel]) -> list[AtLevel]:
    """Those whose CPU was full; where none was, those that were late while most were not."""
    busy = [one for one in agents if one.is_busy]
    late = [one.late_ms for one in agents if one.late_ms is not None]
    if busy or not late:
        return busy
    limit_ms = max(PROMPT_MS, LATE_TIMES * median_low(late))
    return [one for one in agents if one.late_ms is not None and one.late_ms > limit_ms]


def relative(agents: Sequence[AtLevel]) -> dict[int, float]:
    """What a user of each agent did, as a share of what users of all agents did on average.

    Users are alike wherever they are played, and so all shares are about 1. An agent with a smaller
    one is slow, or its way to the server is. By number; without agents that were not sampled.
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

    One that was late was full where the load generator was the limit of the level.
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
