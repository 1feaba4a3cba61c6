"""The second part of a search: short levels on both sides of the estimate."""

import math

from headcount.analyse.search.bracket import SETTLED_S, VALUE_WINDOW, WINDOW, Bracket
from headcount.analyse.search.estimate import Estimate
from headcount.analyse.search.growth import first_guess, inside
from headcount.analyse.search.observation import Share
from headcount.analyse.search.regression import REACH, SLOPE
from headcount.analyse.search.standing import Standing

STEPS = (-1.0, 1.0)
"""Distances of straddling levels from the estimate, in logits: shares of 2% and 12% for 5%.

Nearer levels show little of the slope, farther ones little of the root.
"""
STEP_MOST = 0.07
MOVING = 2.0
"""Multiple of the target for a capacity that changes: it will not hold still."""

COUNTED_WIDTH = 2.0
"""Distance, in users, between the ends of a counted capacity that is close enough."""
COUNTED_LEVELS = 8
"""Levels after which a capacity of a few users is final: an hour would not decide it."""

VALUE_STEP = 0.3
"""The same for the logarithm of a value, which bends more."""
VALUE_STEP_MOST = 0.8 * VALUE_WINDOW
"""Farther out, a level would not enter the regression of a value."""


def converged(standing: Standing) -> bool:
    """Whether the interval is as narrow as asked, and may be believed."""
    estimate = standing.estimate
    if estimate.users <= 0 or math.isinf(estimate.high):
        return False
    wanted = standing.target * (MOVING if estimate.per_s else 1.0)
    if estimate.is_counted:
        return estimate.high - estimate.low <= COUNTED_WIDTH or (
            sum(t.request.purpose == "straddle" for t in standing.counted) >= COUNTED_LEVELS
        )
    narrow = estimate.half_width <= wanted
    enough = _near(standing, estimate) >= standing.settings.fewest
    if estimate.fit is None:
        bracket = estimate.bracket
        adjacent = bracket is not None and bracket.high - bracket.low <= 1
        return (narrow or adjacent) and (enough or _clear(standing, estimate))
    enclosed = any(o.users <= estimate.users for o in standing.valid) and any(
        o.users >= estimate.users for o in standing.valid
    )
    return narrow and enclosed and estimate.fit.runs >= standing.settings.fewest


def straddle(standing: Standing) -> int:
    """Users of the next level near the estimate, on the side whose turn it is."""
    estimate = standing.estimate.rival or standing.estimate
    if estimate.is_counted:
        return _counted(standing, estimate)
    if estimate.fit is None and (middle := _unexplored(standing, estimate)) is not None:
        return middle
    centre = _centre(standing, estimate)
    slope = estimate.fit.slope if estimate.fit is not None else SLOPE
    count = sum(t.request.purpose == "straddle" and t.observation.valid for t in standing.taken)
    by_share = _by_share(standing, estimate)
    logits = STEPS[count % 2] * (1.0 if by_share else VALUE_STEP)
    least = min(0.02, 0.8 * standing.settings.target)
    step = max(least, min(abs(logits) / slope, STEP_MOST if by_share else VALUE_STEP_MOST))
    users = math.exp(centre + math.copysign(step, logits))
    rounded = math.floor(users) if logits < 0 else math.ceil(users)
    return max(1, min(rounded, standing.ceiling))


def _counted(standing: Standing, estimate: Estimate) -> int:
    """The less measured of the two numbers of users around the estimate."""
    below = max(1, math.floor(estimate.users))
    measured_s = {
        users: sum(o.measure_s for o in standing.valid if o.users == users)
        for users in (below, below + 1)
    }
    return min(measured_s, key=lambda users: measured_s[users])


def _near(standing: Standing, estimate: Estimate) -> int:
    """Levels within the regression's reach of the estimate."""
    window = max(WINDOW, 1.7 / estimate.users)
    return sum(abs(math.log(o.users / estimate.users)) <= window for o in standing.valid)


def _clear(standing: Standing, estimate: Estimate) -> bool:
    """Whether both ends of a bracket are far from the limit, leaving no doubt between them."""
    bracket = estimate.bracket
    if bracket is None or not _by_share(standing, estimate):
        return False
    measured_s = _measured_s(standing, bracket)
    return min(measured_s.values()) >= SETTLED_S and first_guess(standing, estimate.name) is None


def _measured_s(standing: Standing, bracket: Bracket) -> dict[float, float]:
    """Seconds measured at each end of a bracket."""
    ends = (bracket.low, bracket.high)
    return {end: sum(o.measure_s for o in standing.valid if o.users == end) for end in ends}


def _by_share(standing: Standing, estimate: Estimate) -> bool:
    """Whether the constraint behind an estimate is on a share."""
    return all(
        isinstance(c, Share)
        for o in standing.valid
        for c in o.constraints
        if c.name == estimate.name
    )


def _unexplored(standing: Standing, estimate: Estimate) -> int | None:
    """Users inside a bracket that no regression spans and no level has explored.

    If nothing is left between, the less measured end again.
    """
    bracket = estimate.bracket
    telling = first_guess(standing, estimate.name) is not None
    if bracket is None or bracket.low < 1 or telling or math.isinf(bracket.high):
        return None
    half = (bracket.high - bracket.low) / 2 / bracket.middle
    if half > 0.8 * standing.target and (between := inside(bracket.low, bracket.high)) is not None:
        return between
    measured_s = _measured_s(standing, bracket)
    return int(min(measured_s, key=lambda end: measured_s[end]))


def _centre(standing: Standing, estimate: Estimate) -> float:
    if estimate.fit is None:
        guess = first_guess(standing, estimate.name)
        return guess if guess is not None else math.log(max(estimate.users, 1.0))
    fit = estimate.fit
    return max(fit.least - REACH, min(fit.root, fit.most + REACH))
