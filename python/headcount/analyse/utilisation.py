"""How much of each resource is used at each throughput, and at which one it would be full.

The utilisation law, U = D X: the use of a resource grows with throughput by the demand of a
scenario (Denning and Buzen, "The Operational Analysis of Queueing Network Models", ACM Computing
Surveys 10(3), 1978). A line through the levels, U = U0 + D X, meets 100% at the ceiling that this
resource alone would set. This extrapolates: it assumes that a scenario's demand stays the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from headcount.analyse.diagnosis.evidence import network
from headcount.analyse.diagnosis.observation import Observation, observe
from headcount.analyse.diagnosis.projection import (
    LEAST_LEVELS,
    SPREAD,
    SURE_SLOPE,
    Resource,
    resources,
)
from headcount.analyse.diagnosis.thresholds import threshold
from headcount.bundle.diagnosis import Limit
from headcount.bundle.level import LevelResult
from headcount.counters.naming import INTERFACE, instance_name, split_instance

QUEUE_RATE = "system.network.queue.rate"
LEAST_USE = 0.02
"""A resource used less than this at every level is left out: its line would be the axis."""
LEAST_CEILING = 0.98
"""A line that is full at less of the largest throughput than this is no law of the resource."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One level: its throughput, and the share of the resource that was used."""

    users: int
    per_s: float
    share: float


@dataclass(frozen=True, slots=True)
class Law:
    """The line through the levels.

    Attributes:
        background: Use without load, as a share.
        demand: The share that one scenario per second uses.
        ceiling_per_s: The throughput at which the resource would be full.

    """

    background: float
    demand: float
    ceiling_per_s: float


@dataclass(frozen=True, slots=True)
class Use:
    """The use of one resource.

    Attributes:
        limit: Which resource.
        counter: The counter that shows its use.
        capacity: What counts as full, in `unit`.
        unit: UCUM code.
        spots: Its levels, by throughput.
        law: The line; None if use does not surely grow with throughput.

    """

    limit: Limit
    counter: str
    capacity: float
    unit: str
    spots: tuple[Spot, ...]
    law: Law | None


def uses(levels: Sequence[LevelResult]) -> list[Use]:
    """The most used resource of each kind, the fullest first."""
    valid = [one for one in map(observe, levels) if one.valid and one.per_s > 0]
    best: dict[Limit, Use] = {}
    for resource in (*resources(valid), *_shaped(valid)):
        use = _use(resource, valid)
        if use is None or _most(use) < LEAST_USE:
            continue
        if resource.limit not in best or _most(use) > _most(best[resource.limit]):
            best[resource.limit] = use
    return sorted(best.values(), key=_most, reverse=True)


def _most(use: Use) -> float:
    return max(spot.share for spot in use.spots)


def _shaped(levels: Sequence[Observation]) -> Iterator[Resource]:
    """Interfaces whose sending rate is limited, such as a network that a run created itself."""
    last = max(levels, key=lambda one: one.users, default=None)
    for name, rate in last.means.get("sut", {}).items() if last is not None else ():
        family, interface = split_instance(name)
        if family == QUEUE_RATE and interface is not None and rate > 0:
            sent = instance_name(network.SENT, INTERFACE, interface)
            yield Resource(
                "network",
                sent,
                "sut",
                lambda one, sent=sent: one.means.get("sut", {}).get(sent),  # type: ignore[misc]
                rate,
                "By/s",
            )


def _use(resource: Resource, levels: Sequence[Observation]) -> Use | None:
    spots = sorted(
        (
            Spot(one.users, one.per_s, used / resource.capacity)
            for one in levels
            if (used := resource.use(one)) is not None
        ),
        key=lambda spot: (spot.per_s, spot.users),
    )
    if not spots:
        return None
    law = None if resource.by_users else _law(spots)
    return Use(
        resource.limit, resource.counter, resource.capacity, resource.unit, tuple(spots), law
    )


def _law(spots: Sequence[Spot]) -> Law | None:
    """Fit the line by least squares; None unless its slope is surely above zero."""
    x = np.array([spot.per_s for spot in spots])
    share = np.array([spot.share for spot in spots])
    if len(set(x)) < LEAST_LEVELS or x.max() < SPREAD * x.min():
        return None
    design = np.column_stack([np.ones_like(x), x])
    (background, demand), residual, _, _ = np.linalg.lstsq(design, share, rcond=None)
    variance = float(residual[0]) / max(len(x) - 2, 1) if residual.size else 0.0
    error = float(np.sqrt(variance * np.linalg.inv(design.T @ design)[1, 1]))
    grown = demand * (x.max() - x.min())
    if grown < threshold("next.least") or demand < SURE_SLOPE * error:
        return None
    ceiling_per_s = float((1 - background) / demand)
    # The throughput reached cannot exceed the ceiling: such a line shows something else.
    if ceiling_per_s < LEAST_CEILING * x.max():
        return None
    return Law(float(background), float(demand), ceiling_per_s)
