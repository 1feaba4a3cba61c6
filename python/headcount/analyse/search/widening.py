"""How far the interval widens for what the regression cannot see.

A regression knows how much its levels scatter. It does not know that other programs used part of
the machine, that a level drifted during its measurement, or that two levels with the same users
disagree by more than levels of that length do. Each widens the interval by as much as it may have
moved the capacity, in ln(users).
"""

import math
from collections.abc import Sequence

from scipy.special import logit

from headcount.analyse.search.bracket import CLIFF, WINDOW
from headcount.analyse.search.observation import Observation, Share
from headcount.analyse.search.regression import LEAST_ALLOWED, SLOPE, USUAL_SPREAD

Interval = tuple[float, float]

LOST_MOST = 0.9
"""A server that had less than a tenth of its CPUs shows nothing about what it can do alone."""
DRIFT_LEAST = 0.05
"""Least effect of an unsteady level: the share from which a trend counts
(`analyse.steadiness`)."""
MOVE_MOST = 0.5
"""The most that one level may widen the interval: shares of nearly nothing and nearly all are far
apart in logits, which means little."""
REPEATS_APART = 2.0
"""Standard deviations of the difference of two levels of a quiet server that are chance."""


def widened(
    interval: Interval, name: str, observations: Sequence[Observation]
) -> tuple[Interval, tuple[str, ...]]:
    """The interval, wide enough for what the levels near it showed, and what widened it.

    ``name`` is the constraint that binds. Levels farther from the interval than the regression's
    reach are ignored.
    """
    low, high = interval
    near = [o for o in observations if o.valid and _is_near(o.users, low, high)]
    moves = {
        "other work on the machine": _taken_away(near),
        "levels that were not steady": _drifted(near, name),
        "repeated levels that disagree": _repeats_apart(near, name),
    }
    for down, up in moves.values():
        low, high = low * math.exp(-down), high * math.exp(up)
    return (low, high), tuple(cause for cause, move in moves.items() if max(move) > 0)


def _is_near(users: int, low: float, high: float) -> bool:
    return low * math.exp(-WINDOW) <= users <= high * math.exp(WINDOW)


def _taken_away(near: Sequence[Observation]) -> tuple[float, float]:
    """How far others' use of the CPUs may have moved the ends, down and up.

    The capacity is taken to be proportional to the CPU that is left, which it is at most. The lower
    end allows for the heaviest use in every level, the upper one for none.
    """
    lost = [min(o.cpu_lost, LOST_MOST) for o in near]
    if not lost:
        return 0.0, 0.0
    return math.log((1 - min(lost)) / (1 - max(lost))), -math.log(1 - max(lost))


def _drifted(near: Sequence[Observation], name: str) -> tuple[float, float]:
    """How far levels that were not steady may have moved the capacity.

    The root mean square over all levels near, as a regression averages them; for the official
    level, whose verdict counts alone, its own value.
    """
    moves = [0.0 if o.steady else _drift(o, name) for o in near]
    if not any(moves):
        return 0.0, 0.0
    mean = math.sqrt(sum(move**2 for move in moves) / len(moves))
    longest = max(near, key=lambda o: o.measure_s)
    move = max(mean, moves[near.index(longest)])
    return move, move


def _drift(observation: Observation, name: str) -> float:
    """Half the distance between the capacities that the two halves of a level show."""
    for constraint in observation.constraints:
        if isinstance(constraint, Share) and constraint.name == name:
            half = len(constraint.batches) // 2
            if half:
                first, second = constraint.batches[:half], constraint.batches[half:]
                shares = _share(*_pooled(first)), _share(*_pooled(second))
                return max(_apart(*shares, constraint.allowed), DRIFT_LEAST) / 2
    return DRIFT_LEAST / 2


def _repeats_apart(near: Sequence[Observation], name: str) -> tuple[float, float]:
    """How far repeats disagree beyond what levels of their length do on a quiet server."""
    worst = 0.0
    for users in {o.users for o in near}:
        found = [
            (constraint, o.measure_s)
            for o in near
            for constraint in o.constraints
            if o.users == users and constraint.name == name and isinstance(constraint, Share)
        ]
        for index, (one, one_s) in enumerate(found):
            for other, other_s in found[:index]:
                usual = USUAL_SPREAD * math.sqrt(60.0 / one_s + 60.0 / other_s)
                apart = _apart(one.share, other.share, one.allowed)
                worst = max(worst, apart - REPEATS_APART * usual)
    return worst / 2, worst / 2


def _pooled(batches: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return sum(bad for bad, _ in batches), sum(total for _, total in batches)


def _share(bad: float, total: float) -> float:
    return bad / total if total else 0.0


def _apart(one: float, other: float, allowed: float) -> float:
    """How far apart two shares are in ln(users), by the usual slope.

    Shares far under the allowed one are alike: they show that the limit is far off, not how far.
    """
    least = max(allowed, LEAST_ALLOWED) / CLIFF
    logits = [logit(min(max(share, least), 1 - least)) for share in (one, other)]
    return min(abs(float(logits[0] - logits[1])) / SLOPE, MOVE_MOST)
