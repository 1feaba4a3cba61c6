"""How far a search is, and how long it will still take."""

import math
from dataclasses import dataclass
from typing import Literal

from headcount.analyse.search.observation import SEARCHING, Purpose
from headcount.analyse.search.plan import curve_request, next_request
from headcount.analyse.search.regression import PRIOR_RUNS, USUAL_SPREAD
from headcount.analyse.search.standing import Standing

USUAL_PROBES = 6
"""Probes from ten users to the first failure of a server for several hundred."""
USUAL_STRADDLES = 10
"""Straddling levels that a quiet server needs for an interval of 2%."""
QUANTILE = 2.2
"""Student's t, 97.5%, for the dozen levels that a regression usually has."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a search is. ``phase`` is the purpose of the next level, "done" if there is none.

    ``low`` and ``high`` bracket the capacity by levels that passed and failed; ``estimate`` and
    ``interval`` are what is known so far. ``remaining_s`` is a forecast, overhead included.
    """

    phase: Purpose | Literal["done"]
    levels: int
    low: float
    high: float
    estimate: float
    interval: tuple[float, float]
    spent_s: float
    remaining_s: float


def progress_of(standing: Standing) -> Progress:
    """The progress after the levels taken so far."""
    request = next_request(standing)
    estimate = standing.estimate
    return Progress(
        phase="done" if request is None else request.purpose,
        levels=len(standing.taken),
        low=standing.bracket.low,
        high=standing.bracket.high,
        estimate=estimate.users,
        interval=(estimate.low, estimate.high),
        spent_s=standing.spent_s,
        remaining_s=0.0 if request is None else _remaining_s(standing, request.purpose),
    )


def _remaining_s(standing: Standing, phase: Purpose) -> float:
    """Forecast of the seconds left, bounded by the budget."""
    settings, overhead = standing.settings, standing.settings.overhead
    probes = straddles = 0
    is_growing = phase in ("climb", "probe")
    if is_growing:
        probes = max(1, USUAL_PROBES - standing.levels) + 1
    if phase == "bracket":
        probes = 1
    if phase in SEARCHING:
        straddles = _straddles_left(standing)
    seconds = probes * (settings.probe_s + overhead.warmup_s)
    seconds += straddles * (settings.short_s + overhead.near_warmup_s)
    if phase not in ("recovery", "curve"):
        seconds += settings.official_s + overhead.near_warmup_s if settings.official_s else 0.0
    seconds += _curve_s(standing)
    if overhead.fixed_ramp_s is not None:
        seconds += (probes + straddles + 1) * overhead.fixed_ramp_s
    elif is_growing:
        seconds += 2 * _users(standing) / overhead.ramp_per_s
    if settings.budget_s is not None:
        seconds = min(seconds, max(0.0, settings.budget_s - standing.spent_s))
    return seconds


def _straddles_left(standing: Standing) -> int:
    """Levels until the interval is narrow: its width falls with the root of their number."""
    settings, fit = standing.settings, standing.estimate.fit
    left = settings.cap - standing.levels
    least = max(settings.fewest, USUAL_STRADDLES) if fit is None else settings.fewest + 1
    if fit is None:
        return min(least, left)
    usual = USUAL_SPREAD**2 * 60.0 / settings.short_s
    variance = (fit.runs * fit.spread**2 + PRIOR_RUNS * usual) / (fit.runs + PRIOR_RUNS)
    needed = math.ceil(QUANTILE**2 * variance / standing.target**2)
    return max(1, min(max(needed, least) - fit.runs, left))


def _curve_s(standing: Standing) -> float:
    settings = standing.settings
    if settings.budget_s is None and standing.confirmed and curve_request(standing) is None:
        return 0.0
    return len(settings.curve) * (settings.curve_s + settings.overhead.warmup_s)


def _users(standing: Standing) -> float:
    """A guess at the capacity, for the length of the ramps."""
    known = max(standing.estimate.users, 10.0 * standing.settings.start_users)
    return min(known, float(standing.settings.max_users))
