"""The figures of a prediction besides its capacity: demands, and what a number of users gets."""

import math
from collections.abc import Sequence

import numpy as np

from headcount.analyse.prediction.capacity_model import CapacityModel, capacity_model
from headcount.analyse.prediction.demand import drift
from headcount.analyse.prediction.fit import Capacities, Fitted
from headcount.analyse.prediction.interval import Spread
from headcount.analyse.prediction.needs import needs
from headcount.analyse.prediction.point import Point
from headcount.analyse.prediction.prediction import DemandFigure, Expected, ForUsers, ModelName
from headcount.analyse.prediction.sentences import of_users


def demand_figures(
    before: CapacityModel,
    after: CapacityModel,
    fits: Sequence[Fitted],
    points: Sequence[Point],
    measured: float | None,
) -> list[DemandFigure]:
    """What a scenario asks of each resource."""
    base = measured or before.users or max(p.users for p in points)
    now = before.utilisation(before.users) if before.users else {}
    then = after.utilisation(after.users) if after.users else {}
    made = []
    for each in before.fitted.demands:
        name = each.resource.name
        low, high = _interval([d.each for f in fits for d in f.demands if d.resource.name == name])
        made.append(
            DemandFigure(
                resource=name,
                counter=each.resource.counter,
                unit=each.resource.unit,
                demand=each.each,
                low=low if low is not None else each.each,
                high=high if high is not None else each.each,
                background=each.background,
                drift=drift(each, points, base),
                capacity=before.capacities.get(name),
                changed_to=after.capacities.get(name),
                usable=each.usable,
                at_capacity=now.get(name),
                then=then.get(name),
            )
        )
    return made


def for_users(
    model: ModelName,
    after: CapacityModel,
    now: Capacities,
    fits: Sequence[Fitted],
    users: float | None,
    spread: Spread,
) -> ForUsers | None:
    """What this many users get with the changes, and what they need."""
    if users is None:
        return None
    per_s, response_s, value = after.at(users)
    drawn = [capacity_model(model, each, after.capacities, users).at(users)[1] for each in fits]
    low, high = _interval(drawn)
    # Uncertainty of the capacity is also uncertainty of the response: as many users more or less.
    half = spread.half if math.isfinite(spread.half) else 0.0
    fewer = after.at(users * math.exp(-half))[1]
    more = capacity_model(model, after.fitted, after.capacities, users * math.exp(half))
    most = more.at(users * math.exp(half))[1]
    expected = Expected(
        users=users,
        low=None,
        high=None,
        per_s=per_s,
        response_ms=response_s * 1000,
        criterion=value,
    )
    wanted = needs(model, after.fitted, now, users) or []
    return ForUsers(
        expected=expected,
        meets=value <= 1,
        response_low_ms=min(fewer, low if low is not None else fewer) * 1000,
        response_high_ms=max(most, high if high is not None else most) * 1000,
        needs=wanted,
        sentence=of_users(expected, wanted),
    )


def _interval(values: Sequence[float]) -> tuple[float | None, float | None]:
    known = [value for value in values if math.isfinite(value)]
    if len(known) < 10:
        return None, None
    low, high = np.quantile(known, [0.025, 0.975])
    return float(low), float(high)
