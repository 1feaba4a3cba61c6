"""Goals: constraints that few users miss because they are few, such as a throughput.

A missed goal says nothing until fewer users have met it. From there on it is a constraint like any
other: more users with less throughput are past the capacity.
"""

from collections.abc import Sequence
from dataclasses import replace

from headcount.analyse.search.observation import Observation

CLEARLY = 0.97
"""Multiple of its limit from which a goal is clearly met: nearer to it, chance decides."""


def with_goals(observations: Sequence[Observation]) -> list[Observation]:
    """The observations, each with the goals that as many or fewer users clearly met."""
    least: dict[str, int] = {}
    for one in observations:
        for goal in one.goals:
            if goal.value <= CLEARLY * goal.limit:
                least[goal.name] = min(one.users, least.get(goal.name, one.users))
    return [
        replace(
            one,
            constraints=(
                *one.constraints,
                *(g for g in one.goals if one.users >= least.get(g.name, one.users + 1)),
            ),
        )
        for one in observations
    ]


def misses_only_goals(observation: Observation) -> bool:
    """Whether every constraint holds but a goal does not."""
    return observation.passed and not all(goal.passed for goal in observation.goals)
