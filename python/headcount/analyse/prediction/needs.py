"""How much of each resource a number of users needs."""

import math

from headcount.analyse.prediction import candidates
from headcount.analyse.prediction.fit import Capacities, Fitted
from headcount.analyse.prediction.prediction import ModelName, Need

HALVINGS = 24
LEAST_USE, MOST_USE = 0.05, 0.999


def needs(
    model: ModelName, fitted: Fitted, capacities: Capacities, users: float
) -> list[Need] | None:
    """The least of each resource that meets the criterion; None if nothing suffices.

    All resources that must grow are equally full then: as full as the criterion allows. Existing
    resources are never made smaller.
    """
    low, high = LEAST_USE, MOST_USE
    if not _is_met(model, fitted, _sized(fitted, capacities, users, low), users):
        return None
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _is_met(model, fitted, _sized(fitted, capacities, users, middle), users):
            low = middle
        else:
            high = middle
    sized = _sized(fitted, capacities, users, low)
    made = []
    for each in fitted.demands:
        name, unit = each.resource.name, each.resource.unit
        now, wanted = capacities.get(name), sized.get(name)
        if wanted is None:  # size unknown: at most the demand on it
            wanted = (each.background + each.each * _per_s(fitted, users)) / low
        made.append(
            Need(
                resource=name,
                unit=unit,
                capacity=now,
                needed=wanted,
                factor=wanted / now if now else None,
            )
        )
    return made


def _per_s(fitted: Fitted, users: float) -> float:
    return users / (fitted.think_s + fitted.response_at_limit_s)


def _sized(fitted: Fitted, capacities: Capacities, users: float, use: float) -> dict[str, float]:
    """Capacities that the users would fill to the share `use`, but none below the present one."""
    per_s = _per_s(fitted, users)
    sized = {}
    for each in fitted.demands:
        now = capacities.get(each.resource.name)
        if now is None:
            continue
        wanted = (each.background + each.each * per_s / use) / each.usable
        if each.resource.shape == "stations":
            wanted = float(math.ceil(wanted - 1e-9))
        sized[each.resource.name] = max(now, wanted)
    return sized


def _is_met(model: ModelName, fitted: Fitted, capacities: Capacities, users: float) -> bool:
    _, values = candidates.solve(model, fitted, capacities, max(math.ceil(users), 1))
    return bool(values[-1] <= 1)
