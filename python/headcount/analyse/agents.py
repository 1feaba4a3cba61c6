"""Whether a run had enough agents, which of them were full, and how many it needs."""

import math
from collections.abc import Mapping, Sequence

from headcount.analyse.agent_level import AtLevel, Counters, at_level, full
from headcount.analyse.generator import BUSY_SHARE
from headcount.bundle.level import GeneratorResult, LevelResult
from headcount.text import count, duration, listed, plural, share

MOST_NAMED = 3
"""Most agents that a sentence names; the report lists them all."""


def with_full_agents(
    found: GeneratorResult, counters: Counters, machines: Mapping[int, str]
) -> GeneratorResult:
    """The generator's result with the full agents, if any, as its first reason.

    `machines` are the agents' machines, by number. Unchanged if all agents were full, or none.
    """
    text = full_text(at_level(counters), machines) if found.reasons else None
    if text is None:
        return found
    return found.model_copy(update={"reasons": [text, *found.reasons]})


def full_text(agents: Sequence[AtLevel], machines: Mapping[int, str]) -> str | None:
    """Which agents were full while others were not; None if all were full, or none."""
    found = full(agents)
    room = len(agents) - len(found)
    if not found or not room:
        return None
    who, rest = agents_text(found, machines), "the other" if room == 1 else f"the other {room}"
    is_one = len(found) == 1
    if found[0].is_busy:
        most = f"{'' if is_one else 'up to '}{share(max(one.busiest or 0.0 for one in found))}"
        whose = "its busiest worker" if is_one else "their busiest workers"
        verb = "was" if is_one else "were"
        return f"{who} {verb} full: {whose} used {most} of a core; {rest} had room"
    late = duration(max(one.late_ms or 0.0 for one in found))
    others = duration(max(one.late_ms or 0.0 for one in agents if one not in found))
    whose, verb = ("its", "was") if is_one else ("their", "were")
    over = f"1% of {whose} timers were over {late} late"
    return f"{who} {verb} late: {over}, those of {rest} up to {others}"


def agents_text(agents: Sequence[AtLevel], machines: Mapping[int, str]) -> str:
    """The agents with their machines: `agents 2 (load2) and 5 (load5)`."""
    names = [
        f"{one.number} ({machines[one.number]})" if one.number in machines else str(one.number)
        for one in agents[:MOST_NAMED]
    ]
    if len(agents) > MOST_NAMED:
        names.append(f"{len(agents) - MOST_NAMED} more")
    return f"{'agent' if len(names) == 1 else 'agents'} {listed(names)}"


def names_agents(reason: str) -> bool:
    """Whether a reason came from `full_text`."""
    return reason.startswith(("agent ", "agents "))


def full_agents(levels: Sequence[LevelResult]) -> list[str]:
    """How many agents were full at the largest level with a full one, and how many are needed.

    The need follows from the users that fill one agent: its CPU grows at most in proportion to its
    users, so fewer agents cannot suffice.
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
    """The users of each agent, and the CPU of its busiest worker as a share of a core."""
    return [
        (one.users, one.busiest)
        for one in at_level(level.counters)
        if one.users is not None and one.busiest is not None
    ]
