"""The first part of a search: from the first users to a narrow bracket of the capacity."""

import math

from scipy.special import logit

from headcount.analyse.search.bracket import side
from headcount.analyse.search.light import is_light
from headcount.analyse.search.observation import Observation, Share
from headcount.analyse.search.regression import LEAST_ALLOWED, SLOPE
from headcount.analyse.search.standing import Standing

QUADRUPLE_BELOW = 100
"""Below this many users the next probe has four times as many, later twice: small levels are far
from harming anything, and each costs a warm-up."""

NARROW = 1.12
"""A bracket whose ends have this ratio is narrow enough to straddle."""

GUESS_MOST = 0.08
"""Most that one level's share may move the first guess, in ln(users)."""

BAD_LEAST = 4
"""Bad requests without which a share says nothing about its position."""

SATURATED = 0.95


def grow(standing: Standing) -> int | None:
    """Users of the next probe while nothing has failed; None at the ceiling."""
    low, ceiling = int(standing.bracket.low), standing.ceiling
    if low == 0:
        return min(standing.settings.start_users, ceiling)
    if low >= ceiling:
        return None
    if ceiling < standing.settings.max_users:
        # The generator failed above: find the most it can do, to within a narrow bracket.
        between = int(math.sqrt(low * (ceiling + 1)))
        return between if between > low and (ceiling + 1) / low > NARROW else None
    factor = 4 if low < QUADRUPLE_BELOW else 2
    return min(low * factor, ceiling)


def climbs(standing: Standing) -> bool:
    """Whether a few seconds suffice for the next level: the last one was far from every limit."""
    if not standing.settings.climb_s or not standing.valid:
        return False
    return standing.taken[-1].observation.valid and is_light(standing.valid, standing.valid[-1])


def shrink(standing: Standing) -> int | None:
    """Users of the next probe while nothing has passed; None if one user is too many."""
    high = int(standing.bracket.high)
    if high <= 1:
        return None
    guess = first_guess(standing)
    if guess is not None:
        return max(1, min(math.floor(0.9 * math.exp(guess)), high - 1))
    bound = asymptote(standing, high)
    users = 0.7 * bound if bound is not None else high / 4
    return max(1, min(int(users), high // 2))


def halve(standing: Standing) -> int | None:
    """Users of a level inside the bracket; None if it is narrow, or a level is telling."""
    low, high = standing.bracket.low, standing.bracket.high
    if high / low <= NARROW or high - low <= 1 or first_guess(standing) is not None:
        return None
    bound = asymptote(standing, int(high))
    return inside(low, high, bound)


def inside(low: float, high: float, wanted: float | None = None) -> int | None:
    """Users strictly between two numbers: ``wanted`` if well inside, else their middle."""
    if high - low <= 1:
        return None
    middle = math.sqrt(low * high)
    if wanted is not None and low * 1.02 < wanted < high * 0.9:
        middle = wanted
    return int(min(max(round(middle), low + 1), high - 1))


def asymptote(standing: Standing, users: int) -> float | None:
    """Users that would just saturate a server that was overloaded at ``users``, by its throughput.

    N = X (Z + R): the asymptotic bound of a closed network (Denning and Buzen, Computing Surveys
    10, 1978). R is half the limit if it is known, else the response of the lightest level. 5% are
    subtracted, because a limit is met a little before saturation. None unless more than half of
    some share was bad there.
    """
    seen = [o for o in standing.valid if o.users == users]
    if not seen or not any(_overloaded(o) for o in seen):
        return None
    lightest = min(standing.valid, key=lambda o: o.users)
    limits = [c.limit_s for c in seen[0].constraints if isinstance(c, Share) and c.limit_s]
    response_s = min(limits) / 2 if limits else lightest.response_mean_s
    think_s = seen[0].think_s
    if think_s is None or seen[0].throughput_per_s <= 0:
        return None
    return SATURATED * seen[0].throughput_per_s * (think_s + response_s)


def _overloaded(observation: Observation) -> bool:
    return any(isinstance(c, Share) and c.share > 0.5 for c in observation.constraints)


def first_guess(standing: Standing, name: str | None = None) -> float | None:
    """ln(capacity) from the most telling level: the one whose share is nearest the allowed one.

    Uses the usual slope of the logit; with ``name``, uses that constraint alone. None while no
    level inside the bracket has a share between a fifth and five times the allowed one.
    """
    low, high = standing.bracket.low, standing.bracket.high
    best: tuple[float, float] | None = None
    for observation in standing.valid:
        if not low <= observation.users <= high:
            continue
        shares = [c for c in observation.constraints if isinstance(c, Share)]
        distances = [_distance(c) for c in shares if name is None or c.name == name]
        # The worst constraint decides; a level far over any limit shows nothing about the others.
        if not distances or None in distances:
            continue
        worst = max(d for d in distances if d is not None)
        if -math.inf < worst and (best is None or abs(worst) < abs(best[0])):
            best = worst, math.log(observation.users)
    if best is None:
        return None
    return best[1] - max(-GUESS_MOST, min(best[0] / SLOPE, GUESS_MOST))


def _distance(share: Share) -> float | None:
    """Logit of the share less that of the allowed: -inf when far under, None when far over."""
    where = side(share.bad, share.total, share.allowed)
    if where > 0:
        return None
    if where < 0 or share.bad < BAD_LEAST:
        return -math.inf
    return float(logit(share.share) - logit(max(share.allowed, LEAST_ALLOWED)))
