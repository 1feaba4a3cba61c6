"""Whether runs of two sides took turns, or time stands between them."""

import math
from collections.abc import Sequence

MOST = 0.5
"""Correlation of side and time up to which a drift meets both sides nearly alike. Two pairs ABAB
have 0.45, ABBA 0, AAAABBBB 0.88."""


def confounded(second: Sequence[bool]) -> float:
    """The correlation of the side with the time, -1 to 1, from the runs in the order of time.

    `second`: for each run, whether it was of the second side. Of what the machine gains steadily
    over all runs, 0.58 times this goes into the difference of two halves. 0 with runs of one side.
    """
    count = len(second)
    places = [place - (count - 1) / 2 for place in range(count)]
    share = sum(second) / max(count, 1)
    spread = math.fsum(place * place for place in places) * count * share * (1 - share)
    if spread <= 0:
        return 0.0
    return math.fsum(p for p, is_second in zip(places, second, strict=True) if is_second) / (
        math.sqrt(spread)
    )


def has_taken_turns(second: Sequence[bool]) -> bool:
    """Whether the order of the runs protects a comparison from drift.

    Where it does not, no interval of the difference can be believed, however narrow: simulated
    comparisons of equal sides in the order AAAABBBB on a machine that got 5% slower "found" a
    difference in more than half of all cases.
    """
    return abs(confounded(second)) <= MOST
