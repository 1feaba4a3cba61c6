"""The uncertainty of a prediction: resampled levels, and the error on the levels held out."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.resample import SEED, draws
from headcount.analyse.prediction.fit import Fitted, fit
from headcount.analyse.prediction.point import Point, point
from headcount.analyse.prediction.resource import Resource

DRAWS = 60
NORMAL = 1.96
RUN_TO_RUN = 0.025
"""Standard deviation with which one run locates the capacity, which none of its levels can show:
the search moderates its own by the same (`docs/statistics.md`)."""
CHANGED = 0.05
"""Standard deviation for each doubling of a capacity: caches, schedulers and locks do not scale as
utilisation says. Assumed: too few runs of `bench/prediction` are free of noise to fit it."""
WIDEST = 0.3
"""Half-width from which an interval says nothing."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviation of ln(users), by source."""

    resampled: float
    held_out: float
    changed: float

    @property
    def half(self) -> float:
        """Half of the 95% interval, in ln(users)."""
        drawn = math.hypot(self.resampled, RUN_TO_RUN, self.changed)
        return math.hypot(NORMAL * drawn, self.held_out)


def refits(
    observations: Sequence[Observation],
    points: Sequence[Point],
    found: Sequence[Resource],
    measured: Mapping[int, Sequence[Mapping[str, Any]]],
    slope: float,
) -> list[Fitted]:
    """Fits to resampled levels: their seconds in blocks, and each level with a random weight.

    Weights are exponential (the Bayesian bootstrap: Rubin, *Annals of Statistics* 9(1), 1981),
    because drawing few levels with replacement often leaves too few different ones.
    """
    rng = np.random.default_rng(SEED)
    by_index = {p.index: p for p in points}
    used = [o for o in observations if o.index in by_index]
    services = {o.index: o.service_s for o in used}
    made = []
    for drawn in draws(used, measured, DRAWS):
        again = []
        for o in drawn:
            old = by_index[o.index]
            new = _drawn(o, services[o.index], old, found, float(rng.exponential()))
            if new is not None:
                # The criterion follows the mean response of the resampled seconds.
                value = old.value * (new.response_s / old.response_s) ** slope
                again.append(replace(new, value=value))
        fitted = fit(again, found) if len(again) >= 3 else None
        if fitted is not None:
            made.append(fitted)
    return made


def _drawn(
    o: Observation,
    service_s: float | None,
    old: Point,
    found: Sequence[Resource],
    weight: float,
) -> Point | None:
    """A level of resampled seconds; its response changes as much as their service time."""
    if o.per_s <= 0 or not o.service_s or not service_s:
        return None
    new = point(o, old.value, found, None, weight)
    response_s = old.response_s * o.service_s / service_s
    # Little's law: the users who would have done as much with the usual think time.
    users = o.per_s * (response_s + old.think_s)
    return replace(new, users=users, response_s=response_s, think_s=old.think_s)


def deviation(fits: Sequence[Fitted], capacity: Callable[[Fitted], float | None]) -> float:
    """Standard deviation of ln(users) over the draws; infinite if most have no answer."""
    logs = [math.log(users) for each in fits if (users := capacity(each))]
    if len(logs) < len(fits) / 2 or len(logs) < 10:
        return math.inf
    # By quartiles, so that a few draws without enough levels do not widen it.
    q1, q3 = np.quantile(logs, [0.25, 0.75])
    return float(q3 - q1) / 1.349


def scaled(error: float, ratio: float, asked: float) -> float:
    """A hold-out error, scaled up for predictions beyond the levels held out."""
    further = math.log(max(asked, 1.0)) / math.log(max(ratio, 1.05))
    return error * max(further, 1.0)


def doublings(changes: Mapping[str, tuple[float | None, float | None]], binds: str | None) -> float:
    """How often the capacity of the limiting resource was doubled or halved."""
    was, then = changes.get(binds or "", (None, None))
    if not was or not then:
        return 0.0
    return abs(math.log2(then / was))
