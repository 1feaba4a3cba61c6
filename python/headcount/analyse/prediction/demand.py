"""The demand of a scenario on each resource: the utilisation law, U = U0 + D X."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from headcount.analyse.models.network import Floats
from headcount.analyse.prediction.point import Point
from headcount.analyse.prediction.resource import Resource

APART = 1.5
"""Ratio of largest to smallest throughput that is needed to tell background from demand."""
FULL = 0.85
"""Utilisation from which a resource may have been the limit."""
NEAR = (0.5, 1.3)
"""Range, relative to the users at the limit, in which demands must stay the same. Below, background
work and batches shift them; above, nothing is predicted."""
STANDARD_ERRORS = 2.0


@dataclass(frozen=True, slots=True)
class Demand:
    """The demand of scenarios on a resource.

    Attributes:
        resource: The resource.
        each: Demand per scenario, in the resource's unit times seconds.
        background: Use without load.
        usable: Share of the capacity that was really available when it was full.

    """

    resource: Resource
    each: float
    background: float
    usable: float

    def available(self, capacity: float) -> float:
        """The part of a capacity that is left for scenarios."""
        return max(capacity * self.usable - self.background, 1e-9 * capacity)

    def utilisation(self, per_s: float, capacity: float | None) -> float | None:
        """Share of a capacity that is used at a throughput."""
        if capacity is None:
            return None
        return (self.background + self.each * per_s) / (capacity * self.usable)


def demand(
    resource: Resource, points: Sequence[Point], usable: float | None = None
) -> Demand | None:
    """Fit the law to the levels; None if fewer than two observed the resource.

    A resource that only the server uses has no background: otherwise a line that bends, as batch
    work makes it, would be taken for one, with a slope far too small. `usable` is what other levels
    showed of the device.
    """
    seen = [p for p in points if resource.name in p.use and p.per_s > 0]
    if len(seen) < 2:
        return None
    x = np.array([p.per_s for p in seen])
    use = np.array([p.use[resource.name] for p in seen])
    root = np.sqrt([p.weight for p in seen])
    apart = x.max() >= APART * x.min() and len(set(x.tolist())) > 2 and not resource.own
    # Least squares of the use itself, so that levels near the capacity, which matter, weigh most.
    terms = np.column_stack([x, np.ones_like(x)] if apart else [x])
    found, _ = scipy.optimize.nnls(terms * root[:, None], use * root)
    background = float(found[1]) if apart else 0.0
    if not resource.own and not _sure(x, use):
        return None
    share = usable if usable is not None else _usable(resource, seen)
    return Demand(resource, float(found[0]), background, share)


def _sure(x: Floats, use: Floats) -> bool:
    """Whether the machine's use surely grows with throughput, and is not that of other programs."""
    if len(set(x.tolist())) < 3:
        return True
    slope, error = _slope(x, use)
    return slope > STANDARD_ERRORS * error


def _slope(x: Floats, y: Floats) -> tuple[float, float]:
    """Slope of the line through at least three points by least squares, and its standard error."""
    off_x, off_y = x - x.mean(), y - y.mean()
    square = float(off_x @ off_x)
    slope = float(off_x @ off_y) / square
    rest = float(np.square(off_y - slope * off_x).sum())
    return slope, math.sqrt(rest / (len(x) - 2) / square)


def _usable(resource: Resource, points: Sequence[Point]) -> float:
    """Share of its capacity that a resource delivers when users always wait for it.

    A shaped link passes a few percent less than its setting, a quota exactly as much. Known only if
    throughput stayed flat while users grew by half; else 1.
    """
    if resource.capacity is None:
        return 1.0
    top = max(points, key=lambda p: p.users)
    flat = [
        p
        for p in points
        if p.users * 1.5 <= top.users and p.per_s >= 0.95 * top.per_s and p is not top
    ]
    used = top.use[resource.name] / resource.capacity
    if not flat or used < FULL:
        return 1.0
    shares = [p.use[resource.name] / resource.capacity for p in (*flat, top)]
    return float(min(np.median(shares), 1.0))


def drift(found: Demand, points: Sequence[Point], capacity_users: float) -> float | None:
    """How much the demand surely changes over the levels near the knee, as a share.

    None with fewer than three such levels. A change within two standard errors of the line through
    them counts as none, so that the noise of short levels does not matter.
    """
    low, high = NEAR
    near = [
        p
        for p in points
        if low * capacity_users <= p.users <= high * capacity_users
        and found.resource.name in p.use
        and p.per_s > 0
    ]
    if len({p.users for p in near}) < 3 or found.each <= 0:
        return None
    n = np.array([p.users for p in near])
    each = np.array([(p.use[found.resource.name] - found.background) / p.per_s for p in near])
    slope, error = _slope(n, each)
    change = slope * float(n.max() - n.min()) / found.each
    noise = STANDARD_ERRORS * error * float(n.max() - n.min()) / found.each
    return 0.0 if abs(change) <= noise else change
