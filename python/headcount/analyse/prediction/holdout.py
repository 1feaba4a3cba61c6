"""Which model predicts the highest levels of the run from the lower ones."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from headcount.analyse.prediction import candidates
from headcount.analyse.prediction.fit import Capacities, fit
from headcount.analyse.prediction.point import Point, loads
from headcount.analyse.prediction.prediction import ModelName
from headcount.analyse.prediction.resource import Resource

HELD_OUT = 2
"""Number of loads that are held out."""
LEFT = 2
"""Fewest loads that must be left to fit."""
ABOVE = 1.35
"""Loads further above the limit are held out as well but do not count as one of the two: otherwise
only a search's levels in deep overload would be predicted."""
BROKEN = 1.25
"""Value of the criterion over its limit from which response times are not compared: in overload an
error of 1% in throughput is one of 10% in them. The users at the limit count instead."""
PER_S, RESPONSE, USERS = 0.05, 0.20, 0.07
"""Largest errors of a model: of throughput, response time, and users at the limit. The last is 5%,
added in quadrature to how exactly one run locates a capacity (1.96 x 2.5%): the measured value is
not exact, either."""


@dataclass(frozen=True, slots=True)
class HeldOutErrors:
    """A model's largest relative errors; None if nothing could be compared."""

    model: ModelName
    per_s: float | None
    response: float | None
    users: float | None
    times: bool = True
    """Whether response times count: if they are asked for, or if the capacity was not reached and
    nothing else shows it. Just below the knee 1% of load is 10% of response time."""

    @property
    def worst(self) -> float:
        """The largest error relative to what is allowed; infinite if there is none."""
        shares = [
            error / allowed
            for error, allowed in (
                (self.per_s, PER_S),
                (self.response if self.times else None, RESPONSE),
                (self.users, USERS),
            )
            if error is not None
        ]
        return max(shares) if shares else math.inf

    @property
    def reach(self) -> float:
        """The error behind an interval of users: that of the users, else that of the throughput."""
        return self.users if self.users is not None else (self.per_s or 0.0)


@dataclass(frozen=True, slots=True)
class Split:
    """Levels to fit, and levels to predict."""

    low: list[Point]
    high: list[Point]

    @property
    def ratio(self) -> float:
        """How far the predicted levels lie above the others, in users."""
        return max(p.users for p in self.high) / max(p.users for p in self.low)


def split(points: Sequence[Point], measured: float | None) -> Split | None:
    """Hold out the top two loads, not counting any far above the limit; None if too few."""
    groups = loads(points)
    top = len(groups)
    if measured is not None:
        top = sum(group[0].users <= ABOVE * measured for group in groups)
    cut = top - HELD_OUT
    if cut < LEFT:  # count overload if there is too little below it
        cut = len(groups) - HELD_OUT
    if cut < LEFT:
        return None
    low = [p for group in groups[:cut] for p in group]
    return Split(low, [p for group in groups[cut:] for p in group])


def held_out_errors(
    divided: Split,
    found: Sequence[Resource],
    capacities: Capacities,
    measured: float | None,
    usable: Mapping[str, float],
    *,
    times: bool,
) -> list[HeldOutErrors]:
    """The errors of each model on the levels held out; empty if nothing can be fitted.

    `usable` is a property of the devices, and taken from all levels. `times` says whether response
    times are asked for, and not only the users at the limit.
    """
    fitted = fit(divided.low, found, usable)
    if fitted is None:
        return []
    most = candidates.room(fitted, capacities, max(p.users for p in divided.high))
    made = []
    for model in candidates.MODELS:
        solved, values = candidates.solve(model, fitted, capacities, most)
        if np.all(np.isnan(solved.response_s)):
            made.append(HeldOutErrors(model, None, None, None, times))
            continue
        users = None
        if measured is not None:
            crossed = candidates.crossing(solved.users, values)
            users = abs(crossed / measured - 1) if crossed else math.inf
        errors = [_errors(p, solved.users, solved.per_s, solved.response_s) for p in divided.high]
        made.append(
            HeldOutErrors(
                model,
                max(e[0] for e in errors),
                max(
                    (e[1] for e, p in zip(errors, divided.high, strict=True) if _fair(p)),
                    default=None,
                ),
                users,
                times or users is None,
            )
        )
    return made


def _fair(p: Point) -> bool:
    return p.value <= BROKEN


def _errors(
    p: Point, users: "np.ndarray", per_s: "np.ndarray", response_s: "np.ndarray"
) -> tuple[float, float]:
    x = float(np.interp(p.users, users, per_s))
    r = float(np.interp(p.users, users, response_s))
    return abs(x / p.per_s - 1), abs(r / p.response_s - 1)
