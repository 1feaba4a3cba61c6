"""A level as a model sees it."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.prediction.resource import Resource

SAME = 1.08
"""Levels whose users are within this ratio are one load: a search runs many near the capacity."""


@dataclass(frozen=True, slots=True)
class Point:
    """One level.

    Attributes:
        index: Its number in the run.
        nominal: How many users there were.
        users: How many would have caused this load with the mean think time of all levels. In short
            levels the mean think time varies by chance, and the load with it. Little's law holds
            for these users as well.
        per_s: Scenarios per second.
        response_s: Mean response time, by Little's law from throughput and think time.
        think_s: Mean think time.
        value: The criterion's value over its limit.
        use: Use of each resource, in its unit; absent if it was not observed.
        weight: How much it counts in a fit.

    """

    index: int
    nominal: int
    users: float
    per_s: float
    response_s: float
    think_s: float
    value: float
    use: Mapping[str, float] = field(default_factory=dict)
    weight: float = 1.0


def point(
    o: Observation,
    value: float,
    found: Sequence[Resource],
    think_s: float | None,
    weight: float = 1.0,
) -> Point:
    """A level of the run, or a resampled one; `think_s` is that of all levels."""
    use = {r.name: used for r in found if (used := r.use(o)) is not None}
    own_s = o.idle_s
    response_s = o.service_s or 0.0
    if o.think_s is not None and o.per_s > 0:
        # Means of short levels leave out those who still wait; Little's law does not.
        response_s = max(o.users / o.per_s - own_s, response_s * 0.5, 1e-6)
    users = float(o.users)
    if think_s is not None and o.think_s is not None:
        users *= (response_s + think_s) / (response_s + own_s)
    pause_s = own_s if think_s is None or o.think_s is None else think_s
    return Point(o.index, o.users, users, o.per_s, response_s, pause_s, value, use, weight)


def think(observations: Sequence[Observation]) -> float | None:
    """Mean think time of all levels, weighted by their scenarios; None for an open pace."""
    parts = [(o.per_s, o.think_s) for o in observations if o.think_s is not None and o.per_s > 0]
    whole = sum(per_s for per_s, _ in parts)
    return sum(per_s * think_s for per_s, think_s in parts) / whole if whole else None


def loads(points: Sequence[Point]) -> list[list[Point]]:
    """The points grouped by load, ascending; nearly equal numbers of users are one load."""
    made: list[list[Point]] = []
    for each in sorted(points, key=lambda p: (p.users, p.index)):
        if made and each.users <= made[-1][0].users * SAME:
            made[-1].append(each)
        else:
            made.append([each])
    return made


def measured_capacity(points: Sequence[Point]) -> float | None:
    """The users at which the criterion's value crosses its limit; None if no levels show that.

    Interpolated in logarithms. If noise makes it cross more than once, the mean of the crossings in
    either direction.
    """
    by_users = [
        (users, math.exp(_mean(math.log(p.value) for p in group)))
        for users, group in (
            (users, list(group))
            for users, group in itertools.groupby(
                sorted(points, key=lambda p: p.users), key=lambda p: p.users
            )
        )
    ]
    crossings = []
    for (n1, v1), (n2, v2) in itertools.pairwise(by_users):
        if (v1 <= 1) != (v2 <= 1):
            part = -math.log(v1) / (math.log(v2) - math.log(v1))
            crossings.append(math.log(n1) + part * (math.log(n2) - math.log(n1)))
    if not crossings or by_users[-1][1] <= 1:
        return None
    return math.exp(_mean(crossings))


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)
