"""Failures that other levels contradict.

A failed level is evidence, not a verdict: one bad moment of the server or its machine must not
bound the search for good. Levels that pass by far with as many users overrule it.
"""

from collections.abc import Sequence

from headcount.analyse.search.bracket import side
from headcount.analyse.search.observation import ConstraintResult, Observation, Share

AS_MANY = 0.97
"""Ratio of users up to which they count as equal: closer than this, levels differ by chance."""

VALUE_FAR = 0.8
"""A value below this share of its limit is far from it."""

OUTVOTED = 2
"""Levels that overrule a failure at other users; one suffices if it repeats the level."""


def overruled(levels: Sequence[Observation], probing: Sequence[bool]) -> frozenset[int]:
    """Indices of the failures that do not count.

    ``probing`` says for each level whether it looked for the region of the capacity. Inside that
    region a level fails or passes by chance, and the regression weighs it.
    """
    passed = [o.users for o in levels if passes_by_far(o)]
    failed = [o.users for o in levels if not o.passed]
    found = set[int]()
    for index, level in enumerate(levels):
        if level.passed or not probing[index]:
            continue
        repeats = sum(users == level.users for users in passed)
        fails = sum(users == level.users for users in failed)
        above = sum(users >= AS_MANY * level.users for users in passed)
        below = sum(users <= level.users / AS_MANY for users in failed)
        if repeats >= fails or (above >= OUTVOTED and above > below):
            found.add(index)
    return frozenset(found)


def passes_by_far(observation: Observation) -> bool:
    """Whether each constraint holds by far."""
    return all(_holds_by_far(c) for c in observation.constraints)


def _holds_by_far(constraint: ConstraintResult) -> bool:
    if isinstance(constraint, Share):
        return (
            not constraint.total or side(constraint.bad, constraint.total, constraint.allowed) < 0
        )
    return constraint.value <= VALUE_FAR * constraint.limit
