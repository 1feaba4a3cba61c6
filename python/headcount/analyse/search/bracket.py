"""The capacity between a level that passes and one that fails."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from headcount.analyse.search.observation import ConstraintResult, Observation, Share, Value
from headcount.analyse.search.regression import LEAST_ALLOWED, SLOPE, USUAL_SPREAD

WINDOW = 0.11
"""How far from the estimate a level may be, in ln(users), to enter the regression."""

VALUE_WINDOW = 0.06
"""The same for values: their logarithm bends more over the users than the logit of a share."""

CLIFF = 5.0
"""A share is far from the allowed one if it is this many times smaller or larger."""

DOUBT = 1.64
"""Binomial standard errors by which a share must exceed the allowed one to bound a bracket: three
slow requests of forty at ten users are no reason to look for the capacity below ten."""

ENDS = 2.5
"""Standard deviations of one level's location of the capacity that both ends of a bracket allow
for; more than two, because the ends are the extremes of several levels."""

SETTLED_S = 20.0
"""Measured time from which a level counts as settled near the limit: some cycles of a user."""

Result = tuple[Observation, ConstraintResult]


@dataclass(frozen=True, slots=True)
class Bracket:
    """The most users below the lowest failure, and the lowest failure itself.

    ``low`` is 0 if nothing passed below ``high``; ``high`` is infinite if nothing failed.
    """

    low: float
    high: float

    @property
    def middle(self) -> float:
        """Geometric middle; the lower end if there is no upper one."""
        if math.isinf(self.high):
            return self.low
        return math.sqrt(self.low * self.high)


def bracket_of(levels: Sequence[tuple[int, bool]]) -> Bracket:
    """The bracket that follows from (users, passed) of the levels."""
    high = min((users for users, passed in levels if not passed), default=math.inf)
    low = max((users for users, passed in levels if passed and users < high), default=0)
    return Bracket(float(low), float(high))


def results_of(name: str, observations: Sequence[Observation]) -> list[Result]:
    """The results of the constraint ``name``, each with its level."""
    return [(o, c) for o in observations for c in o.constraints if c.name == name]


def by_users(results: Sequence[Result]) -> dict[int, list[Result]]:
    """The results grouped by users, fewest first."""
    groups: dict[int, list[Result]] = {}
    for result in sorted(results, key=lambda r: r[0].users):
        groups.setdefault(result[0].users, []).append(result)
    return groups


def judged(results: Sequence[Result]) -> list[tuple[int, bool]]:
    """Users and passed of one constraint, levels of the same users taken together."""
    return [(users, holds(group)) for users, group in by_users(results).items()]


def holds(group: Sequence[Result]) -> bool:
    """Whether a constraint holds in levels taken together; if a share is in doubt, it holds."""
    values = [(o.measure_s, c) for o, c in group if isinstance(c, Value)]
    if values:
        seconds = sum(s for s, _ in values)
        return sum(s * c.value for s, c in values) <= values[0][1].limit * seconds
    bad, total, allowed = counted(group)
    return bad <= allowed * total + DOUBT * math.sqrt(allowed * (1 - allowed) * total)


def counted(group: Sequence[Result]) -> tuple[float, float, float]:
    """Bad, total and allowed share of levels taken together; zeros if there is no share."""
    shares = [c for _, c in group if isinstance(c, Share)]
    if not shares:
        return 0.0, 0.0, 0.0
    return sum(s.bad for s in shares), sum(s.total for s in shares), shares[0].allowed


def side(bad: float, total: float, allowed: float) -> int:
    """-1 if a share is far under the allowed one, 1 if far over, 0 between."""
    share = bad / total if total else 0.0
    allowed = max(allowed, LEAST_ALLOWED)
    if share * CLIFF < allowed:
        return -1
    return int(share > min(CLIFF * allowed, (1 + allowed) / 2))


def is_jump(bracket: Bracket, results: Sequence[Result]) -> bool:
    """Whether a share jumps within the bracket from far under the allowed one to far over it.

    Not if a level in or near the bracket has a share between, because then there is a slope to
    regress, nor if levels contradict each other.
    """
    low, high = bracket.low * math.exp(-WINDOW), bracket.high * math.exp(WINDOW)
    near = [r for r in results if low <= r[0].users <= high]
    if any(isinstance(constraint, Value) for _, constraint in near):
        return False
    groups = by_users(near).items()
    return all(side(*counted(g)) == (-1 if users <= bracket.low else 1) for users, g in groups)


def doubt(users: float, results: Sequence[Result]) -> float:
    """How far, in ln(users), the capacity may lie beyond an end of a bracket (95%).

    Levels of a few seconds locate a capacity only roughly; a share far from the allowed one
    reduces the doubt.
    """
    there = [(o, c) for o, c in results if o.users == users]
    bad, total, allowed = counted(there)
    if not total:
        return 0.0
    seconds = sum(o.measure_s for o, _ in there)
    seen = math.log((bad + 0.25) / (total - bad + 0.25))
    # Fewer than two bad ones in the total cannot be told from none.
    allowed = min(max(allowed, LEAST_ALLOWED, 2 / total), 0.5)
    distance = abs(seen - math.log(allowed / (1 - allowed))) / SLOPE
    spread = USUAL_SPREAD * math.sqrt(60.0 / seconds)
    # A level of seconds may still be in the state in which the one before it ended.
    return max(0.5 * spread if seconds < SETTLED_S else 0.0, ENDS * spread - distance)
