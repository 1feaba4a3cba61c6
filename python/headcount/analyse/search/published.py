"""The number to publish: users at a level that was run and passed."""

from headcount.analyse.search.observation import Observation
from headcount.analyse.search.standing import Standing


def published_users(standing: Standing) -> int:
    """Users of the level that stands for the capacity; 0 while no level has passed.

    The official level, if the last one passed. Otherwise the largest number of users, up to the
    estimate and below every failed official level, whose last level passed: a level above the
    estimate that passed did so by chance.
    """
    if standing.confirmed:
        return standing.officials[-1].users
    failed = [o.users for o in standing.officials if not o.passed]
    below = min(failed, default=standing.settings.max_users + 1)
    passed = [o.users for o in _last_levels(standing) if o.passed and o.users < below]
    estimate = standing.estimate.users * (1 + 1e-9)
    return max((users for users in passed if users <= estimate), default=0)


def _last_levels(standing: Standing) -> list[Observation]:
    """The last valid level at each number of users, including those for the chart."""
    found = [t.observation for t in standing.taken if t.observation.valid]
    # A level that failed only because of a stall has not passed; it says nothing.
    known = [o for o in found if o.passed or not o.stalls]
    return list({o.users: o for o in known}.values())
