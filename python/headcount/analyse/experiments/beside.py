"""`beside`: whether load on another server that shares an upstream takes throughput away.

Two closed loads that queue for one upstream share its throughput, so the first keeps only its part
of the users. Servers that share nothing do not affect each other.
"""

from collections.abc import Sequence

from headcount.analyse.experiments.limits import ordered
from headcount.analyse.experiments.rounds import quotient, ratio, rounds_of
from headcount.bundle.confirmation import Estimate, Finding, Turn
from headcount.bundle.diagnosis import Limit
from headcount.text import share, significant

NAME = "beside"
WITHOUT, WITH = "without the other", "with the other"
ARMS = (WITHOUT, WITH)
KEPT = "throughput.kept.share"
FALL = 0.85
"""Throughput kept: less than this is more than another load on the same machine or network usually
takes. With as many users on both servers, a shared upstream leaves about half."""


def judge(turns: Sequence[Turn], other: str) -> Finding | None:
    """The finding; `other` is the address of the second target. None with too few rounds."""
    rounds = rounds_of(turns, ARMS)
    found = ratio(rounds, lambda one: quotient(one[WITH].rate_per_s, one[WITHOUT].rate_per_s))
    if found is None:
        return None
    falls, stays = found.high < FALL, found.low > FALL
    sentence = (
        f"with load on {other}, {share(found.value)} of the throughput was left "
        f"({significant(100 * found.low)} to {significant(100 * found.high)})"
    )
    estimate = Estimate(
        name=KEPT, value=found.value, low=found.low, high=found.high, unit="1", sentence=sentence
    )
    shared: list[Limit] = ["upstream"]
    own: list[Limit] = ordered({"limiter"})
    return Finding(
        experiment=NAME,
        supports=shared if falls else [],
        contradicts=own if falls else shared if stays else [],
        direct=shared if falls else [],
        size=None,
        size_unit=None,
        estimates=[estimate],
        sentence=sentence,
        turns=list(turns),
    )
