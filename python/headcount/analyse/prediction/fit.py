"""The parameters of the models, fitted to the levels of a run."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from headcount.analyse.models import amva, convolution
from headcount.analyse.models.growth import Line, line
from headcount.analyse.models.network import Network, Station, serving
from headcount.analyse.models.usl import Scalability
from headcount.analyse.models.usl import fit as fit_usl
from headcount.analyse.prediction.demand import Demand, demand
from headcount.analyse.prediction.point import Point
from headcount.analyse.prediction.resource import Resource

LIGHT = 0.6
"""Utilisation below which response times show the time outside of queues."""
SPREAD = math.log(3.0)
"""How fast a level's weight for percentiles falls away from the limit, in ln(value)."""
CV2 = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0)
STEEPEST = 1.3
FLATTEST = 0.8
"""Range of the slope of the criterion over the mean response, both as logarithms. A percentile
grows about as the mean does; steeper lines come from light levels, whose few slow responses are
not queueing."""

Capacities = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What the levels show about the server.

    Attributes:
        demands: Demand on each resource that scenarios use.
        think_s: Think time of a user.
        rest_s: Response time outside of queues.
        cv2: Squared coefficient of variation of service that corrects response times best.
        tail: ln(criterion over limit) over ln(mean response in s).
        scalability: The scalability law of throughput over users, if it can be fitted.
        value_growth: ln(criterion) over users, for the levels next to the knee.
        response_growth: ln(response) over users, for the same levels.

    """

    demands: Sequence[Demand]
    think_s: float
    rest_s: float
    cv2: float
    tail: Line
    scalability: Scalability | None
    value_growth: Line | None
    response_growth: Line | None

    def network(self, capacities: Capacities, cv2: float = 1.0) -> Network:
        """The server's stations at these capacities."""
        stations = [
            station
            for each in self.demands
            for station in _stations(each, capacities.get(each.resource.name), cv2)
        ]
        return Network(stations, self.think_s, self.rest_s)

    def value(self, response_s: float) -> float:
        """The criterion over its limit at a mean response time."""
        return math.exp(self.tail.value(math.log(response_s)))

    @property
    def response_at_limit_s(self) -> float:
        """The mean response time at which the criterion is just met."""
        return math.exp(self.tail.centre - self.tail.at / self.tail.slope)


def fit(
    points: Sequence[Point], found: Sequence[Resource], usable: Mapping[str, float] | None = None
) -> Fitted | None:
    """Fit all parameters; None if no scenario uses a resource with a capacity.

    `usable` is the share of its capacity that a resource delivers, if other levels showed it.
    """
    known = usable or {}
    demands = [
        made
        for each in found
        if (made := demand(each, points, known.get(each.name))) is not None and made.each > 0
    ]
    if not any(each.resource.capacity for each in demands):
        return None
    weights = [p.weight for p in points]
    think_s = float(np.average([p.think_s for p in points], weights=weights))
    last = sorted(points, key=lambda p: p.users)[-3:]
    fitted = Fitted(
        demands=demands,
        think_s=think_s,
        rest_s=0.0,
        cv2=1.0,
        tail=_tail(points),
        scalability=fit_usl([p.users for p in points], [p.per_s for p in points]),
        value_growth=line([p.users for p in last], [math.log(p.value) for p in last]),
        response_growth=line([p.users for p in last], [math.log(p.response_s) for p in last]),
    )
    capacities = {each.resource.name: each.resource.capacity for each in demands}
    fitted = replace(fitted, rest_s=_rest(fitted, points, capacities))
    return replace(fitted, cv2=_cv2(fitted, points, capacities))


def _stations(found: Demand, capacity: float | None, cv2: float) -> list[Station]:
    if capacity is None:
        return []
    name, available = found.resource.name, found.available(capacity)
    if found.resource.shape == "servers":
        return [Station(name, found.each, serving(available), cv2)]
    if found.resource.shape == "rate":
        return [Station(name, found.each / available, cv2=cv2)]
    # Each disk has its own queue, and gets its share of the requests.
    disks = max(round(capacity), 1)
    return [Station(name, found.each / available, cv2=cv2)] * disks if disks else []


def _tail(points: Sequence[Point]) -> Line:
    """The criterion over the mean response, mostly from the levels near the limit."""
    x = [math.log(p.response_s) for p in points]
    y = [math.log(p.value) for p in points]
    weights = [
        p.weight * (math.exp(-0.5 * (value / SPREAD) ** 2) + 1e-6)
        for p, value in zip(points, y, strict=True)
    ]
    found = line(x, y, weights)
    if found is None:
        return Line(float(np.average(x, weights=weights)), float(np.average(y, weights=weights)), 1)
    return replace(found, slope=min(max(found.slope, FLATTEST), STEEPEST))


def _rest(fitted: Fitted, points: Sequence[Point], capacities: Capacities) -> float:
    """How much longer light levels take than their stations do; 0 if they are quicker."""
    network = fitted.network(capacities)
    most = min((station.most for station in network.stations), default=math.inf)
    light = [p for p in points if p.per_s <= LIGHT * most]
    light = light or [min(points, key=lambda p: p.users)]
    solved = convolution.solve(network, max(math.ceil(max(p.users for p in light)), 1))
    over = [
        p.response_s - float(np.interp(p.users, solved.users, solved.response_s)) for p in light
    ]
    return max(float(np.median(over)), 0.0)


def _cv2(fitted: Fitted, points: Sequence[Point], capacities: Capacities) -> float:
    """The variation of service that fits the response times of the levels best."""
    users = np.array([p.users for p in points])
    weights = np.array([p.weight for p in points])
    known = np.log([p.response_s for p in points])
    solved = convolution.solve(fitted.network(capacities), math.ceil(users.max()))
    exact = np.interp(users, solved.users, solved.response_s)
    plain = amva.schweitzer(fitted.network(capacities), users).response_s
    best, found = math.inf, 1.0
    for cv2 in CV2:
        corrected = (
            exact * amva.schweitzer(fitted.network(capacities, cv2), users).response_s / plain
        )
        error = float(weights @ (np.log(np.maximum(corrected, 1e-9)) - known) ** 2)
        if error < best:
            best, found = error, cv2
    return found
