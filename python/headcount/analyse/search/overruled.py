"""Failures that other levels speak against.

A failing level is evidence, not a verdict: one bad moment of the server, or of its machine, must
not bound the search for good. What overrules it are levels that pass by far with as many users.
"""

from collections.abc import Sequence

from headcount.analyse.search.bracket import side
from headcount.analyse.search.observation import ConstraintResult, Observation, Share

AS_MANY = 0.97
"""Users that count as as many: closer than this, levels differ by chance."""

VALUE_FAR = 0.8
"""A value under this share of its limit is far from it."""

OUTVOTED = 2
"""Levels that overrule a failure at other users; of a repeat, one is enough."""


def overruled(levels: Sequence[Observation], probing: Sequence[bool]) -> frozenset[int]:
    """Indices of the failures that do not count.

    ``probing`` tells for each level whether it looked for the region of the capacity; in that
    region itself a level fails or passes by chance, and the regression weighs it.
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
