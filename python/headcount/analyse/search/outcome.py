"""What a search found, complete or not."""

import math
from dataclasses import dataclass, field
from enum import StrEnum

from headcount.analyse.search.contradiction import contradictions
from headcount.analyse.search.moments import BadMoments
from headcount.analyse.search.observation import SEARCHING, Observation
from headcount.analyse.search.own_delay import upper_end
from headcount.analyse.search.plan import OFFICIALS_MOST, next_request, search_request
from headcount.analyse.search.published import published_users
from headcount.analyse.search.recovery_load import Recovery
from headcount.analyse.search.standing import LeftOut, Standing
from headcount.analyse.search.straddle import converged
from headcount.analyse.search.widening import Interval, widened

QUICK_WIDER = 1.5
"""How many times wider the interval of a first look is, in ln(users), than its levels say: levels
of seconds see little of slow noise. Our choice, from the simulated servers."""
NOISY_WIDER = 1.5
"""The same if runs disagree."""

QUICK_LEAST, QUICK_MOST = 0.5, 1.6
"""The interval of a first look spans at least these multiples of the estimate. A look of three
minutes does not see slower effects: a warm-up, or a job every minute or more rarely. Our
choice, from the simulated servers: nine in ten looks at each hold the capacity."""

OWN_DELAY = "the load generator's own delay"
"""The cause of a wider interval, if its upper end allows for that delay."""

NEARLY = 1.1
"""How much the official level may widen an interval that was narrow enough, without a remark."""


class Flag(StrEnum):
    """What a reader of the capacity must know."""

    GENERATOR_LIMITED = "at least this many: the load generator was the limit"
    MAX_USERS = "at least this many: the search stopped at max_users"
    NOISY = "runs disagree; the interval may be too narrow"
    UNSTABLE = "official levels keep failing below the estimate"
    FAILS_AT_ONE = "the criteria fail with a single user"
    BUDGET_SPENT = "budget spent: the interval is wider than the target"
    CAP_REACHED = "most levels reached: the interval is wider than the target"
    UNCONFIRMED = "no official level confirmed the published users"
    INCOMPLETE = "the search was not finished"
    LINGERS = "an overload lasts until users leave: longer levels may tip over with fewer users"
    UNEVEN = "the server holds fewer users at times: no one number is the whole answer"
    DRIFTS = "the capacity changed while it was measured; the number holds for now"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The capacity with its 95% interval, in users; available at any time.

    ``estimate`` is where the criteria are just met (a real number; ``low`` and ``high`` are its
    interval). ``high`` is infinite while nothing has failed, ``low`` 0 while nothing has passed.
    While there is only a bracket, the interval is the bracket. ``published`` is the number of users
    to quote: those of a level that passed, within the interval; 0 while none did. ``widened_by``
    names what widened the interval beyond the scatter of the levels, ``left_out`` what does not
    count, ``short_of_goals`` the indices of levels that only miss a goal, as few users do, and
    ``missed`` the goals that ``published`` users miss. ``per_s`` is the relative change of the
    capacity per second; 0 unless it surely changes. ``recovery`` says with how many users a lasting
    overload ended; None if none lasted, or that was not tried. ``binding`` names the constraint
    that sets the capacity; None if none has failed.
    """

    estimate: float
    low: float
    high: float
    published: int
    confirmed: bool
    binding: str | None
    widened_by: tuple[str, ...]
    flags: tuple[Flag, ...]
    levels: int
    seconds: float
    left_out: tuple[LeftOut, ...] = ()
    per_s: float = 0.0
    short_of_goals: tuple[int, ...] = ()
    missed: tuple[str, ...] = ()
    moments: BadMoments = field(default_factory=BadMoments)
    otherwise: float = 0.0
    recovery: Recovery | None = None

    @property
    def half_width(self) -> float:
        """Half of the interval relative to the estimate; infinite if there is no upper end."""
        return (self.high - self.low) / 2 / self.estimate if self.estimate > 0 else math.inf


def outcome_of(standing: Standing) -> Outcome:
    """The outcome of the levels taken so far."""
    estimate = standing.estimate
    published = published_users(standing)
    (low, high), causes = _interval(standing)
    if published:
        low, high = min(low, published), max(high, published)
    return Outcome(
        estimate=estimate.users,
        low=low,
        high=high,
        published=published,
        confirmed=standing.confirmed,
        binding=None if math.isinf(estimate.high) else estimate.name,
        widened_by=causes,
        flags=_flags(standing),
        levels=len(standing.taken),
        seconds=standing.spent_s,
        left_out=standing.left_out,
        per_s=estimate.per_s,
        short_of_goals=standing.short_of_goals,
        missed=_missed(standing, published),
        moments=standing.moments,
        otherwise=standing.otherwise if standing.moments.are_often else estimate.users,
        recovery=standing.recovery,
    )


def _missed(standing: Standing, users: int) -> tuple[str, ...]:
    """The goals that the last valid level at this number of users missed."""
    levels = [t.observation for t in standing.taken if t.observation.valid]
    last = [o for o in levels if o.users == users][-1:]
    return tuple(goal.name for o in last for goal in o.goals if not goal.passed)


def _interval(standing: Standing) -> tuple[Interval, tuple[str, ...]]:
    """The interval of the estimate, wide enough for every level taken, and what widened it."""
    interval = _uncontradicted(standing)
    causes: tuple[str, ...] = ()
    upper = upper_end(standing.estimate, standing.valid)
    if upper > interval[1]:
        interval, causes = (interval[0], upper), (OWN_DELAY,)
    if standing.estimate.is_counted:
        # Levels of a few users differ by chance, which counting allows for.
        return interval, causes
    users = standing.estimate.users
    if standing.settings.quick:
        interval = _wider(interval, users, QUICK_WIDER)
    elif standing.noisy:
        interval = _wider(interval, users, NOISY_WIDER)
    (low, high), more = widened(interval, standing.estimate.name, _observations(standing))
    low = min(low, standing.moments.held)
    if standing.settings.quick:
        low, high = min(low, QUICK_LEAST * users), max(high, QUICK_MOST * users)
    return (low, high), (*causes, *more)


def _wider(interval: Interval, users: float, times: float) -> Interval:
    """The interval of an estimate, widened by a factor in ln(users)."""
    low, high = interval
    if not 0 < low <= users <= high:
        return interval
    return users * (low / users) ** times, users * (high / users) ** times


def _uncontradicted(standing: Standing) -> Interval:
    estimate = standing.estimate
    if estimate.per_s:
        # The levels that contradict it belong to another time.
        return estimate.low, estimate.high
    return contradictions(estimate.low, estimate.high, _observations(standing))


def _observations(standing: Standing) -> list[Observation]:
    return [taken.observation for taken in standing.counted]


def _flags(standing: Standing) -> tuple[Flag, ...]:
    settings, bracket = standing.settings, standing.bracket
    request = next_request(standing)
    searching = request is not None and request.purpose in SEARCHING
    none_failed = math.isinf(bracket.high) and bracket.low > 0
    generator = standing.generator_limited or (
        none_failed and standing.ceiling < settings.max_users
    )
    wide = not searching and not generator and not converged(standing)
    wide = wide and standing.estimate.half_width > NEARLY * standing.target and bracket.high > 1
    capped = standing.levels >= settings.cap
    wanted = search_request(standing) is not None
    contradicted = _uncontradicted(standing) != (standing.estimate.low, standing.estimate.high)
    raised = {
        Flag.GENERATOR_LIMITED: generator,
        Flag.MAX_USERS: none_failed and bracket.low >= settings.max_users,
        Flag.NOISY: standing.noisy or contradicted,
        Flag.UNSTABLE: len(standing.officials) >= OFFICIALS_MOST and not standing.confirmed,
        Flag.FAILS_AT_ONE: bracket.high == 1,
        Flag.BUDGET_SPENT: wide and not capped and wanted and settings.budget_s is not None,
        Flag.CAP_REACHED: wide and capped,
        Flag.UNCONFIRMED: not standing.confirmed,
        Flag.INCOMPLETE: searching,
        Flag.LINGERS: standing.lingers,
        Flag.UNEVEN: standing.moments.are_often,
        Flag.DRIFTS: bool(standing.estimate.per_s),
    }
    return tuple(flag for flag, is_raised in raised.items() if is_raised)
