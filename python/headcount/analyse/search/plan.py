"""Which level to run next. A pure function of the settings and the levels taken."""

import math
from dataclasses import replace

from headcount.analyse.search.growth import climbs, grow, halve, shrink
from headcount.analyse.search.observation import (
    SEARCHING,
    ConstraintResult,
    Observation,
    Request,
    Share,
)
from headcount.analyse.search.recovery import is_overloaded, suspects, untested
from headcount.analyse.search.recovery_load import recovery_request
from headcount.analyse.search.standing import Standing
from headcount.analyse.search.straddle import converged, straddle

LONGER = 2.0
"""Factor by which straddling levels are longer if runs disagree: each must be long enough to show
noise that is slower than a level."""

OFFICIALS_MOST = 3
"""Failed official levels after which a server is called unstable."""

MILD_SHARE = 0.5
MILD_RATIO = 3.0
"""A first failure below these, as a share of bad scenarios or a multiple of the limit, is repeated
before it is believed. Our choice: a stall in a short probe makes less than half of it bad."""

LOST = 0.5
"""A failure with less than this share of a smaller level's throughput is repeated as well."""

COVERED = 0.08
"""A point of the chart needs no level if one was taken within this share of the capacity."""


def next_request(standing: Standing) -> Request | None:
    """The next level; None when the search is over."""
    again = untested(standing.taken)
    if again is not None and _affordable(standing, again.request):
        return replace(again.request, is_rested=True)
    request = _next(standing)
    if request is None or request.purpose == "recovery" or not suspects(standing.taken):
        return request
    return replace(request, is_rested=is_overloaded(standing.taken[-1].observation))


def _next(standing: Standing) -> Request | None:
    if standing.generator_limited:
        return None
    if standing.confirmed or len(standing.officials) >= OFFICIALS_MOST:
        return _recovery_request(standing) or curve_request(standing)
    request = search_request(standing)
    if request is not None and _affordable(standing, request):
        return request
    official = official_request(standing)
    if official is not None:
        return official
    # Too little time for an official level: first narrow the interval, then draw the chart.
    if request is not None and _fits(standing, request):
        return request
    return _recovery_request(standing) or curve_request(standing)


def search_request(standing: Standing) -> Request | None:
    """The next level towards the estimate; None if it is good enough, or the cap is reached."""
    if standing.levels >= standing.settings.cap:
        return None
    return doubtful_limit(standing) or _towards(standing)


def _towards(standing: Standing) -> Request | None:
    settings, bracket = standing.settings, standing.bracket
    if math.isinf(bracket.high):
        return _upwards(standing)
    again = doubtful_failure(standing)
    if again is not None or bracket.low == 0:
        users = shrink(standing) if again is None else again
        return None if users is None else Request(users, settings.probe_s, "probe", True)
    users = halve(standing)
    if users is not None:
        return Request(min(users, standing.ceiling), settings.probe_s, "bracket", True)
    if converged(standing):
        return None
    long = standing.noisy or standing.estimate.is_counted
    seconds = settings.short_s * (LONGER if long else 1.0)
    return Request(straddle(standing), seconds, "straddle", False)


def _upwards(standing: Standing) -> Request | None:
    """The next level while nothing has failed; None at the ceiling."""
    settings = standing.settings
    if standing.was_too_brief:
        return Request(standing.previous_users, settings.probe_s, "probe", True)
    users = grow(standing)
    if users is None:
        return None
    if users < standing.ceiling and climbs(standing):
        return Request(users, settings.climb_s, "climb", False)
    return Request(users, settings.probe_s, "probe", True)


def doubtful_limit(standing: Standing) -> Request | None:
    """The only level so far that overcame the generator with more users than any that counts.

    One bad moment of the generator's machine must not bound a search: one level of 6 s, in which
    1% of its timers were over 55 ms late, ended one at a fortieth of what the generator could do
    afterwards. A second such level is believed.
    """
    over = standing.overcame
    return over[0].request if len(over) == 1 and over[0].request.purpose in SEARCHING else None


def doubtful_failure(standing: Standing) -> int | None:
    """Users of the lowest failure, if it was seen once and may have been a bad moment.

    One bad moment of the machine must not send the whole search below the capacity. When users
    double, a server that is really too small fails most of them; a growing queue does not take
    away half of the throughput.
    """
    failed = [o for o in standing.valid if not o.passed]
    if not failed:
        return None
    lowest = min(failed, key=lambda o: o.users)
    if sum(o.users == lowest.users for o in standing.valid) > 1:
        return None
    mild = len(failed) == 1 and all(_mildly(c) for c in lowest.constraints if not c.passed)
    return lowest.users if mild or _lost_throughput(standing, lowest) else None


def _lost_throughput(standing: Standing, failed: Observation) -> bool:
    """Whether a level with fewer users that passed had over twice the throughput."""
    below = [o for o in standing.valid if o.passed and o.users < failed.users]
    most = max((o.throughput_per_s for o in below), default=0.0)
    return failed.throughput_per_s < LOST * most


def _mildly(constraint: ConstraintResult) -> bool:
    if isinstance(constraint, Share):
        return constraint.share < MILD_SHARE
    return constraint.value < MILD_RATIO * constraint.limit


def _fits(standing: Standing, request: Request) -> bool:
    """Whether the level is within the budget, even if users must leave before it and come back."""
    cost_s = standing.cost_s(request.users, request.measure_s, request.purpose)
    if suspects(standing.taken):
        overhead = standing.settings.overhead
        cost_s += overhead.drain_s + overhead.ramp_s(0, request.users)
    return standing.affordable(cost_s)


def _affordable(standing: Standing, request: Request) -> bool:
    """Whether the level and the official one after it are within the budget."""
    cost_s = standing.cost_s(request.users, request.measure_s, request.purpose)
    official_s = standing.settings.official_s
    if official_s and not math.isinf(standing.bracket.high):
        users = max(official_users(standing), 1)
        cost_s += official_s + standing.settings.overhead.seconds(request.users, users)
    return standing.affordable(cost_s)


def official_users(standing: Standing) -> int:
    """Users of the next official level: the lower end of the interval, less after a failure."""
    estimate, settings = standing.estimate, standing.settings
    # If the capacity falls, use what will be left at the end of the level.
    near_s = settings.official_s + settings.overhead.near_warmup_s
    left = math.exp(min(estimate.per_s, 0.0) * near_s)
    lower = estimate.users if estimate.is_counted else estimate.low
    users = math.floor(min(lower * left + 1e-9, settings.max_users))
    if standing.officials:
        last = standing.officials[-1].users
        half = min(max(estimate.half_width, 0.01), 0.10)
        users = min(users, math.floor(last * math.exp(-half)), last - 1)
    return users


def official_request(standing: Standing) -> Request | None:
    """The official level that is due; None if there is none to run."""
    settings = standing.settings
    if settings.official_s == 0 or standing.confirmed or len(standing.officials) >= OFFICIALS_MOST:
        return None
    users = official_users(standing)
    if users < 1 or not standing.affordable(standing.cost_s(users, settings.official_s)):
        return None
    return Request(min(users, standing.ceiling), settings.official_s, "official", False)


def _recovery_request(standing: Standing) -> Request | None:
    """The next level after a lasting overload; None if there is none, or no time for it."""
    settings = standing.settings
    request = recovery_request(standing.taken, standing.kept_down, settings.probe_s)
    if request is None or settings.quick:
        return None
    is_affordable = standing.affordable(standing.cost_s(request.users, request.measure_s))
    return request if is_affordable else None


def curve_request(standing: Standing) -> Request | None:
    """The next level for the chart; None if the curve is complete or the budget is spent."""
    settings, capacity = standing.settings, standing.estimate.users
    taken = [t.observation.users for t in standing.taken]
    for share in settings.curve:
        if share > 1 and math.isinf(standing.estimate.high):
            continue
        users = round(share * capacity)
        if not 1 <= users <= standing.ceiling:
            continue
        if any(abs(users - other) <= COVERED * capacity for other in taken):
            continue
        if standing.affordable(standing.cost_s(users, settings.curve_s)):
            return Request(users, settings.curve_s, "curve", False)
    return None
