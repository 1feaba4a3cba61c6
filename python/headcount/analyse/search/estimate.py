"""What the levels so far show about the capacity."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from headcount.analyse.search.bracket import (
    VALUE_WINDOW,
    WINDOW,
    Bracket,
    Result,
    bracket_of,
    doubt,
    is_jump,
    judged,
    results_of,
)
from headcount.analyse.search.counted import FEW, crossing, sure_ends
from headcount.analyse.search.drift import drifting_fit
from headcount.analyse.search.observation import Observation, Share, Value
from headcount.analyse.search.regression import Fit, fit_shares, fit_values


@dataclass(frozen=True, slots=True)
class Estimate:
    """The capacity by one constraint: users, with a 95% interval.

    ``fit`` is the regression behind it; None if there is only a ``bracket`` of levels, whose ends
    are as uncertain as the levels are short. ``rival`` is another constraint that may bind as well
    and sets the lower end of the interval. ``per_s`` is the change of ln(users) per second if the
    capacity surely moves; the estimate is then that at the end of the last level. ``is_counted`` is
    true for a few users, whose numbers are counted.
    """

    name: str
    users: float
    low: float
    high: float
    fit: Fit | None
    rival: "Estimate | None" = None
    bracket: Bracket | None = None
    per_s: float = 0.0
    is_counted: bool = False

    @property
    def half_width(self) -> float:
        """Half of the interval relative to the estimate; infinite without an upper end."""
        return (self.high - self.low) / 2 / self.users if self.users > 0 else math.inf


def estimate_of(observations: Sequence[Observation]) -> Estimate:
    """The capacity: the least, over the constraints, of the users at which each meets its limit.

    If other constraints bind within its interval, each bound is the least of their bounds. Only
    valid observations may be given.
    """
    names = list(dict.fromkeys(c.name for o in observations for c in o.constraints))
    estimates = [_by_constraint(name, results_of(name, observations)) for name in names]
    if not estimates:
        return Estimate("", 0.0, 0.0, math.inf, None)
    bounded = [e for e in estimates if math.isfinite(e.high)]
    if not bounded:
        return min(estimates, key=lambda e: e.users)
    least = min(bounded, key=lambda e: e.users)
    rivals = [e for e in bounded if e.users <= least.high]
    lowest = min(rivals, key=lambda e: e.low)
    high = max(min(e.high for e in rivals), least.users)
    rival = lowest if lowest.low < least.low else None
    return replace(least, low=lowest.low, high=high, rival=rival)


def _by_constraint(name: str, results: Sequence[Result]) -> Estimate:
    """The capacity by the constraint ``name`` alone."""
    bracket = bracket_of(judged(results))
    bracketed = _bracketed(name, bracket, results)
    if bracket.high <= FEW + 1 and all(isinstance(c, Share) for _, c in results):
        return _few(bracketed, results)
    if math.isinf(bracket.high) or bracket.low == 0:
        return bracketed
    moving = drifting_fit(results)
    if moving is not None:
        return _fitted(name, *moving)
    if is_jump(bracket, results):
        return bracketed
    fit = _fit(results, math.log(bracket.middle))
    if fit is None:
        return bracketed
    return _fitted(name, fit, 0.0)


def _few(bracketed: Estimate, results: Sequence[Result]) -> Estimate:
    """The estimate for a few users, between the ends that are sure."""
    low, high = sure_ends(results)
    users = crossing(results) or bracketed.users
    users = min(max(users, low), high)
    return replace(bracketed, users=users, low=low, high=high, is_counted=True)


def _fitted(name: str, fit: Fit, per_s: float) -> Estimate:
    """The estimate that a regression gives."""
    users, low, high = (math.exp(x) for x in (fit.root, fit.low, fit.high))
    return Estimate(name, users, low, high, fit, per_s=per_s)


def _bracketed(name: str, bracket: Bracket, results: Sequence[Result]) -> Estimate:
    """The estimate that a bracket alone gives."""
    low = bracket.low * math.exp(-doubt(bracket.low, results))
    high = bracket.high * math.exp(doubt(bracket.high, results))
    return Estimate(name, bracket.middle, low, high, None, bracket=bracket)


def _fit(results: Sequence[Result], centre: float) -> Fit | None:
    """The regression over the levels near its own root, found in a few steps from ``centre``."""
    fit: Fit | None = None
    reach = VALUE_WINDOW if any(isinstance(c, Value) for _, c in results) else WINDOW
    for _ in range(4):
        window = max(reach, 1.7 / math.exp(centre))
        near = [r for r in results if abs(math.log(r[0].users) - centre) <= window]
        log_users = [math.log(observation.users) for observation, _ in near]
        seconds = [observation.measure_s for observation, _ in near]
        shares = [c for _, c in near if isinstance(c, Share)]
        values = [c for _, c in near if isinstance(c, Value)]
        found = (
            fit_values(log_users, values, seconds)
            if values
            else fit_shares(log_users, shares, seconds)
        )
        if found is None or abs(found.root - centre) > 2 * window:
            return fit
        fit = found
        if abs(fit.root - centre) < 0.01:
            break
        centre = fit.root
    return fit
