"""A capacity of a few users: counted, because there is nothing to fit between two and three users.

So few users send few requests, and their levels fail or pass by chance. Levels with the same number
of users are pooled. A number surely holds, or surely does not, if the 95% interval of its share of
bad scenarios is on one side of the allowed one (Jeffreys' interval: Brown, Cai and DasGupta,
Statistical Science 16(2), 2001).
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from scipy.special import betaincinv, logit

from headcount.analyse.search.bracket import Result, by_users, counted
from headcount.analyse.search.observation import Share

FEW = 10
"""The most users that are counted."""

MOST = 0.999
"""Largest share used, so that it and its complement have a logit."""

ALIKE = 1.5
"""Requests in a queue are correlated: this many carry as much information as one independent one.
Our choice, from simulated servers with two to ten users."""


def crossing(results: Sequence[Result]) -> float | None:
    """Users at which the share, assumed to rise with the users, crosses the allowed one.

    Shares are pooled if more users had less (isotonic regression by pooling adjacent violators),
    and their logits are interpolated between neighbours over ln(users). None if it does not cross.
    """
    blocks: list[tuple[list[int], float, float]] = []
    allowed = 0.0
    for users, group in by_users(results).items():
        bad, total, allowed = counted(group)
        allowed = max(allowed, 2 * (1 - MOST))
        if not total:
            continue
        blocks.append(([users], bad + 0.5 * allowed, total + 0.5))
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][2] > blocks[-1][1] / blocks[-1][2]:
            (one, bad, total), (other, more_bad, more) = blocks[-2:]
            blocks[-2:] = [(one + other, bad + more_bad, total + more)]
    for (one, bad, total), (other, more_bad, more) in pairwise(blocks):
        shares = max(bad / total, 1 - MOST), min(more_bad / more, MOST)
        if shares[0] <= allowed < shares[1]:
            low, high = math.log(one[-1]), math.log(other[0])
            first, last = logit(shares[0]), logit(shares[1])
            part = (logit(allowed) - first) / (last - first)
            return math.exp(low + float(part) * (high - low))
    return None


def sure_ends(results: Sequence[Result]) -> tuple[float, float]:
    """The most users who surely hold below the fewest who surely do not; 0 and infinity if none."""
    sides = {
        users: _side(*counted(group))
        for users, group in by_users(results).items()
        if any(isinstance(constraint, Share) for _, constraint in group)
    }
    high = min((users for users, side in sides.items() if side > 0), default=math.inf)
    low = max((users for users, side in sides.items() if side < 0 and users < high), default=0)
    return float(low), float(high)


def _side(bad: float, total: float, allowed: float) -> int:
    """-1 if a share is surely under the allowed one, 1 if it is surely over, else 0."""
    if not total:
        return 0
    good, bad = (total - bad) / ALIKE + 0.5, bad / ALIKE + 0.5
    if float(betaincinv(bad, good, 0.975)) < allowed:
        return -1
    return int(float(betaincinv(bad, good, 0.025)) > allowed)
