"""`concurrency`: throughput with one user, some and twice as many, and how many are served at once.

From some users to twice as many, throughput doubles if nothing limits it and stays the same behind
any limit. Its largest value times the time of a single user is the number served at once
(Little's law). A server that always works has at least one in service: less than one leaves a rate
limit, or a quota on CPU, disk or network. One is a serial section. A pool of K places has K or
more, because a place is held for at most the whole scenario.
"""

import math
from collections.abc import Sequence

from headcount.analyse.diagnosis.thresholds import threshold
from headcount.analyse.elasticity import BETWEEN
from headcount.analyse.experiments import alone
from headcount.analyse.experiments.limits import LOADED, RATIONED, UNLOADED, ordered
from headcount.analyse.experiments.rounds import Mean, Round, mean, ratio, rounds_of
from headcount.bundle.confirmation import Estimate, Finding, Turn
from headcount.bundle.diagnosis import Limit
from headcount.text import plural, significant

NAME = "concurrency"
ONE, HALF, ALL = "one user", "half the users", "all users"
ARMS = (ONE, HALF, ALL)
GROWTH, PLACES = "throughput.elasticity", "load.places"
SERIAL = 1.6
"""Places up to which there is only one: a scenario takes a little longer than its serial part."""
SEVERAL = 2.0
"""Places from which a serial section would be less than half of the scenario: a pool is then the
simpler explanation, as in the diagnosis."""


def judge(turns: Sequence[Turn]) -> Finding | None:
    """The finding; None with too few rounds."""
    rounds = rounds_of(turns, ARMS)
    growth, places = mean(rounds, _growth), ratio(rounds, _places)
    if growth is None or places is None:
        return None
    supports: set[Limit] = set()
    contradicts: set[Limit] = set()
    direct: list[Limit] = []
    if growth.low > BETWEEN:
        supports, contradicts = set(UNLOADED), set(LOADED)
    elif growth.high < BETWEEN:
        supports, contradicts = set(LOADED), set(UNLOADED)
        wrong = _wrong_places(places)
        supports, contradicts = supports - wrong, contradicts | wrong
        direct = ["limiter"] if supports == {"limiter", *RATIONED} else []
    estimates = [_growth_estimate(growth, rounds), _places_estimate(places)]
    slowness = alone.share_alone(rounds, ONE, ALL)
    if slowness is not None:
        estimates.append(alone.share_estimate(slowness, rounds, ONE, ALL))
    return Finding(
        experiment=NAME,
        supports=ordered(supports),
        contradicts=ordered(contradicts),
        direct=direct,
        size=places.value if growth.high < BETWEEN else None,
        size_unit="{scenario}" if growth.high < BETWEEN else None,
        estimates=estimates,
        sentence="; ".join(one.sentence for one in estimates[:2]),
        turns=list(turns),
    )


def _growth(each: Round) -> float | None:
    """The elasticity of throughput over users: 1 is proportional, 0 is flat."""
    half, full = each[HALF], each[ALL]
    if full.users <= half.users or not (half.rate_per_s > 0 and full.rate_per_s > 0):
        return None
    return math.log(full.rate_per_s / half.rate_per_s) / math.log(full.users / half.users)


def _places(each: Round) -> float | None:
    """How many are in service at the largest throughput: X times the time of a single user."""
    alone_ms = each[ONE].service_ms
    most = max(each[HALF].rate_per_s, each[ALL].rate_per_s)
    return None if alone_ms is None or most <= 0 else most * alone_ms / 1000


def _wrong_places(places: Mean) -> set[Limit]:
    """The limits that cannot have this many places."""
    if places.high < threshold("limiter.high"):
        return set(LOADED - RATIONED - {"limiter"})
    if places.low > SEVERAL:
        return {"lock"}
    return {"pool"} if places.high < SERIAL else set()


def _growth_estimate(found: Mean, rounds: Sequence[Round]) -> Estimate:
    few, many = rounds[0][HALF].users, rounds[0][ALL].users
    text = (
        f"from {plural('user', few)} to {many:,}, throughput grew with elasticity "
        f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f}); 1 is proportional, 0 is flat"
    )
    return Estimate(
        name=GROWTH, value=found.value, low=found.low, high=found.high, unit="1", sentence=text
    )


def _places_estimate(found: Mean) -> Estimate:
    text = (
        f"{significant(found.value)} scenarios are served at a time "
        f"({significant(found.low)} to {significant(found.high)})"
    )
    return Estimate(
        name=PLACES,
        value=found.value,
        low=found.low,
        high=found.high,
        unit="{scenario}",
        sentence=text,
    )
