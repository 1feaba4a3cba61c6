"""What no ratio can show, and nothing is worse: a side that completed nothing, or holds nobody."""

from collections.abc import Sequence
from dataclasses import dataclass

from headcount.analyse.compare.comparison import Point
from headcount.text import plural

METRIC = "throughput"


@dataclass(frozen=True, slots=True)
class Silence:
    """A number of users at which just one of two sides completed anything.

    Attributes:
        users: How many.
        second: Whether the second side is the silent one.
        per_s: Scenarios per second that the other side completed.

    """

    users: int
    second: bool
    per_s: float

    @property
    def where(self) -> str:
        """The load, in words."""
        return f"at {plural('user', self.users)}"


def silences(first: Sequence[Point], second: Sequence[Point]) -> list[Silence]:
    """The loads of both, the fewest users first, at which just one side completed anything.

    Invalid levels do not count. The other side's throughput must have an interval above zero: of a
    level of a few seconds, chance decides whether anything ends in it.
    """
    sides = [_rates(one) for one in (first, second)]
    found = []
    for users in sorted(sides[0].keys() & sides[1].keys()):
        a, b = (side[users] for side in sides)
        for silent, other in ((a, b), (b, a)):
            if not any(silent) and other and min(other) > 0:
                found.append(Silence(users, silent is b, sum(other) / len(other)))
    return found


def holds_nobody(points: Sequence[Point], held: float) -> bool:
    """Whether no level passed, although two or more had at most the users that another holds.

    A single one may have failed by chance.
    """
    counting = [point for point in points if point.outcome != "invalid"]
    below = [point for point in counting if point.users <= held]
    return len(below) > 1 and all(point.outcome == "failed" for point in counting)


def _rates(points: Sequence[Point]) -> dict[int, list[float]]:
    """The throughputs at each number of users; those that chance may explain are left out."""
    found: dict[int, list[float]] = {}
    for point in points:
        reading = point.readings.get(METRIC)
        if reading is None or point.outcome == "invalid":
            continue
        here = found.setdefault(point.users, [])
        if reading.value == 0 or (reading.interval is not None and reading.interval[0] > 0):
            here.append(reading.value)
    return found
