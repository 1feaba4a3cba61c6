"""A capacity that changes during the search: leaks, caches that fill, a server warming up.

The logit of the share of bad scenarios near the limit is fitted as a plane over ln(users) and time:
where the plane meets the limit at the end of the last level is the capacity now, and how this place
moves is its change.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import logit

from headcount.analyse.search.bracket import Result, side
from headcount.analyse.search.observation import Observation, Share
from headcount.analyse.search.regression import (
    LEAST_ALLOWED,
    PRIOR_RUNS,
    SLOPE,
    SLOPE_LEAST,
    USUAL_SPREAD,
    Fit,
)

RUNS_LEAST = 6
RUNS_MOST = 12
"""Latest levels that are used: a change need not go on for ever."""

BAD_LEAST = 4
"""Bad requests without which a share says nothing about its position."""

SLOPE_SPREAD = 10.0
"""Standard deviation of the servers' slopes around the usual one, for levels that show none."""

SURE = 4.0
"""Standard errors from which a change is not chance. More than for a single test, because the
search looks after each level."""

LARGE = 0.04
"""Least change of ln(users) over the levels used; no answer depends on less."""


def drifting_fit(results: Sequence[Result]) -> tuple[Fit, float] | None:
    """The capacity at the end of the last level, and its change of ln(users) per second.

    None while no change is sure, or if the levels do not say when they ended.
    """
    telling = [(o, c) for o, c in results if isinstance(c, Share) and _is_telling(c)][-RUNS_MOST:]
    if len(telling) < RUNS_LEAST:
        return None
    ended_s = max(o.ended_s for o, _ in results)
    times = np.array([_middle_s(o) for o, _ in telling]) - ended_s
    log_users = np.array([math.log(o.users) for o, _ in telling])
    span_s = float(np.ptp(times))
    # The present is unknown if the levels do not reach it.
    if span_s <= 0 or -float(times.max()) > span_s / 2:
        return None
    centre = float(log_users.mean())
    above = np.array([_logits_above(c) for _, c in telling])
    weight = np.array([o.measure_s for o, _ in telling])
    usual = (SLOPE * USUAL_SPREAD) ** 2 * 60.0 / float(np.median(weight))
    design = np.column_stack([np.ones_like(times), log_users - centre, times / span_s])
    scale = weight / weight.mean()
    pull = np.diag([0.0, usual / SLOPE_SPREAD**2, 0.0])
    square = design.T @ (scale[:, None] * design) + pull
    plane = np.linalg.solve(square, design.T @ (scale * above) + pull @ [0.0, SLOPE, 0.0])
    level, slope, change = (float(x) for x in plane)
    if slope < SLOPE_LEAST:
        return None
    freedom = len(telling) - 3 + PRIOR_RUNS
    squares = float((scale * (above - design @ plane) ** 2).sum())
    covariance = (squares + PRIOR_RUNS * usual) / freedom * np.linalg.inv(square)
    if abs(change) < max(SURE * math.sqrt(covariance[2, 2]), LARGE * slope):
        return None
    distance = -level / slope
    direction = np.array([1.0, distance, 0.0]) / slope
    fit = Fit(
        root=centre + distance,
        error=math.sqrt(float(direction @ covariance @ direction)),
        freedom=freedom,
        slope=slope,
        spread=math.sqrt(squares / max(len(telling) - 3, 1)) / slope,
        runs=len(telling),
        least=float(log_users.min()),
        most=float(log_users.max()),
    )
    return fit, -change / span_s / slope


def _is_telling(share: Share) -> bool:
    return share.bad >= BAD_LEAST and side(share.bad, share.total, share.allowed) == 0


def _logits_above(share: Share) -> float:
    return float(logit(share.share) - logit(max(share.allowed, LEAST_ALLOWED)))


def _middle_s(observation: Observation) -> float:
    return observation.ended_s - observation.measure_s / 2
