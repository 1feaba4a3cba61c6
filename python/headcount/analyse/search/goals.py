"""Goals: constraints that few users do not meet because they are few, such as a throughput.

A goal that is missed says nothing until fewer users have met it. From there on it is a constraint
like any other: who has more users and less throughput is past the capacity.
"""

from collections.abc import Sequence
from dataclasses import replace

from headcount.analyse.search.observation import Observation

CLEARLY = 0.97
"""A goal is met clearly from this share of its limit: nearer to it, chance decides."""


def with_goals(observations: Sequence[Observation]) -> list[Observation]:
    """The observations, each with the goals that as many or fewer users met clearly."""
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
    """Whether every constraint holds, and a goal does not."""
    return observation.passed and not all(goal.passed for goal in observation.goals)
