"""What users who have stayed since the turn before give a turn.

The throughput with them differs from that with users who have just come back: it is higher on some
servers, and lower on others. In the order ABBA the first turn of a pair has users who stayed, so
this favours one side and then the other: it widens every interval, and shifts the mean of a few
pairs. Its effect is the same for all pairs of a tuning, and estimated from all of them (analysis of
covariance: Fisher, Statistical Methods for Research Workers, 1932).
"""

from collections.abc import Sequence
from statistics import fmean

from headcount.bundle.tuning import Pair

FEWEST = 4
"""Pairs that tell what staying gives: with fewer, little would be left to estimate the spread."""


def stay_effect(races: Sequence[Sequence[Pair]]) -> float | None:
    """The gain, as a logarithm, of a turn whose users stayed; None if too few pairs tell.

    The slope within races, pooled; only pairs with a gain count.
    """
    square, product, count = 0.0, 0.0, 0
    for pairs in races:
        known = [(one.stayed, one.log_gain) for one in pairs if one.log_gain is not None]
        if not known:
            continue
        count += len(known)
        middle, level = fmean(x for x, _ in known), fmean(gain for _, gain in known)
        square += sum((x - middle) ** 2 for x, _ in known)
        product += sum((x - middle) * (gain - level) for x, gain in known)
    return product / square if square and count >= FEWEST else None


def corrected(pair: Pair, effect: float) -> Pair:
    """The same pair as if the users of both turns had come back."""
    if pair.log_gain is None:
        return pair
    return pair.model_copy(update={"log_gain": pair.log_gain - effect * pair.stayed})


def gains(pairs: Sequence[Pair]) -> list[float]:
    """Gains of the pairs that count."""
    return [one.log_gain for one in pairs if one.log_gain is not None]
