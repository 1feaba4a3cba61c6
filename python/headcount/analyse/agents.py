"""Whether the agents of a run sufficed, and how many would."""

import math
from collections.abc import Sequence

from headcount.analyse.generator import BUSY_SHARE
from headcount.bundle.level import LevelResult
from headcount.counters.naming import is_agent
from headcount.text import count, plural

USERS, BUSIEST = "agent.users", "agent.worker.busiest"
"""Counters of an agent: users that it plays, and the CPU of its busiest worker."""


def full_agents(levels: Sequence[LevelResult]) -> list[str]:
    """Say which share of the agents was full, at the largest level at which any was.

    How many are needed follows from the users that fill one: its CPU grows with its users, at most
    in proportion, so that no fewer suffice.
    """
    found = [(level, busy) for level in levels if (busy := _busiest(level))]
    full = [one for one in found if max(share for _, share in one[1]) > BUSY_SHARE]
    if not full:
        return []
    level, busy = max(full, key=lambda one: one[0].users)
    number = sum(share > BUSY_SHARE for _, share in busy)
    fill = min(users * BUSY_SHARE / share for users, share in busy if share > BUSY_SHARE)
    needed = max(math.ceil(level.users / max(fill, 1.0)), len(busy) + 1)
    verb = "was" if number == 1 else "were"
    return [
        (
            f"{number} of {plural('agent', len(busy))} {verb} full at "
            f"{plural('user', level.users)}; {count(needed)} agents of this kind play them"
        )
    ]


def _busiest(level: LevelResult) -> list[tuple[float, float]]:
    """Of each agent: its users, and the CPU of its busiest worker as a share of a core."""
    sides = [counters for side, counters in level.counters.items() if is_agent(side)]
    return [
        (one[USERS].mean, one[BUSIEST].mean) for one in sides if USERS in one and BUSIEST in one
    ]
