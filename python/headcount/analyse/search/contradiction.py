"""Levels that contradict the interval: far above it and passed, or far below it and failed.

The regression weighs the levels around the capacity. If the server or its machine changed during
the search, levels farther away may disagree, and an interval that denies them is wrong. Near its
ends a level may go either way by chance; far from them it does not.
"""

import math
from collections.abc import Sequence

from headcount.analyse.search.observation import Observation

FAR = 0.10
"""How far beyond the interval, in ln(users), a level's outcome is no longer chance. On the quiet
simulated servers, a level's share of slow scenarios has left its allowed value at 5% by more than
the spread of any run; ours is twice that."""


def contradictions(
    low: float, high: float, observations: Sequence[Observation]
) -> tuple[float, float]:
    """The interval, widened until no level contradicts it; unchanged when none does."""
    passed = [o.users for o in observations if o.valid and o.passed]
    failed = [o.users for o in observations if o.valid and not o.passed]
    above = max((users for users in passed if users > high * math.exp(FAR)), default=high)
    below = min((users for users in failed if users < low * math.exp(-FAR)), default=low)
    return min(low, float(below)), max(high, float(above))
