"""`alone`: whether the server is slow for a single user as well, or only under load.

A single user's response time as a share of the loaded one is 1 on a server that is merely slow, and
near 0 behind any limit that users queue for: N users behind one that serves X scenarios/s wait
N / X (Little, A proof for the queuing formula, Operations Research 9, 1961).
"""

from collections.abc import Sequence

from headcount.analyse.elasticity import BETWEEN
from headcount.analyse.experiments.limits import LOADED, UNLOADED, ordered
from headcount.analyse.experiments.rounds import Mean, Round, quotient, ratio, rounds_of
from headcount.bundle.confirmation import Estimate, Finding, Turn
from headcount.text import duration, plural, share, significant

NAME = "alone"
ONE, ALL = "one user", "all users"
ARMS = (ONE, ALL)
SHARE = "response.alone.share"


def judge(turns: Sequence[Turn]) -> Finding | None:
    """The finding; None with too few rounds."""
    rounds = rounds_of(turns, ARMS)
    found = share_alone(rounds, ONE, ALL)
    if found is None:
        return None
    estimate = share_estimate(found, rounds, ONE, ALL)
    slow_alone, only_loaded = found.low > BETWEEN, found.high < BETWEEN
    return Finding(
        experiment=NAME,
        supports=ordered(UNLOADED if slow_alone else LOADED if only_loaded else ()),
        contradicts=ordered(LOADED if slow_alone else UNLOADED if only_loaded else ()),
        direct=["delay"] if slow_alone else [],
        size=None,
        size_unit=None,
        estimates=[estimate],
        sentence=estimate.sentence,
        turns=list(turns),
    )


def share_alone(rounds: Sequence[Round], one: str, full: str) -> Mean | None:
    """A single user's service time as a share of that of all users."""
    return ratio(rounds, lambda each: quotient(each[one].service_ms, each[full].service_ms))


def share_estimate(found: Mean, rounds: Sequence[Round], one: str, full: str) -> Estimate:
    """The same share for people, with both times."""
    users = rounds[0][full].users
    alone_ms = ratio(rounds, lambda each: each[one].service_ms)
    loaded_ms = ratio(rounds, lambda each: each[full].service_ms)
    times = ""
    if alone_ms is not None and loaded_ms is not None:
        times = (
            f"a scenario takes {duration(alone_ms.value)} for one user and "
            f"{duration(loaded_ms.value)} for each of {plural('user', users)}: "
        )
    text = (
        f"{times}one user meets {share(found.value)} of that time "
        f"({significant(100 * found.low)} to {significant(100 * found.high)})"
    )
    return Estimate(
        name=SHARE, value=found.value, low=found.low, high=found.high, unit="1", sentence=text
    )
