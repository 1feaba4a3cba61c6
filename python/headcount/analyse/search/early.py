"""When a level far from the capacity may end early."""

import math
from collections.abc import Sequence
from typing import Literal

from headcount.analyse.search.observation import ConstraintResult, Share

Verdict = Literal["pass", "fail"]

FAR = 5.0
"""How many times the allowed share, or the allowed share divided by it, counts as far away.

At the usual 5% these are 25% and 1%. A sequential test around the limit itself is biased if
noise is slower than the level; this far away an error costs nothing: the regression corrects it.
"""


def wide_rule(
    constraints: Sequence[ConstraintResult], measured_s: float, *, least_s: float = 20.0
) -> Verdict | None:
    """Whether a level is so far from the limit that it may stop; None while it must go on.

    ``constraints`` are the running totals of the level, ``measured_s`` the time measured so far,
    ``least_s`` the shortest level worth having. A level fails early if any constraint fails by far,
    and passes early if all pass by far. Two standard errors of a share are taken as six binomial
    ones (at least sqrt(0.01 / n)), because queueing correlates neighbours: shares of a queue near
    saturation vary by several times the binomial figure.
    """
    if measured_s < least_s or not constraints:
        return None
    verdicts = [_far(constraint) for constraint in constraints]
    if "fail" in verdicts:
        return "fail"
    return "pass" if all(verdict == "pass" for verdict in verdicts) else None


def _far(constraint: ConstraintResult) -> Verdict | None:
    if not isinstance(constraint, Share):
        ratio = constraint.value / constraint.limit
        return "fail" if ratio > 2 * FAR else "pass" if ratio < 1 / FAR else None
    if not constraint.total:
        return None
    share = constraint.share
    margin = 6 * math.sqrt(max(share * (1 - share), 0.01) / constraint.total)
    # If more than one in seven is allowed, five times as much would be all of them.
    far_fail = min(FAR * constraint.allowed, (1 + constraint.allowed) / 2)
    if share - margin > max(far_fail, 0.01):
        return "fail"
    return "pass" if share + margin < constraint.allowed / FAR else None
