"""The few figures kept of each second of a level, however long the level is."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

from headcount._engine import Interval


@dataclass(frozen=True, slots=True)
class Part:
    """One second of a level: a criterion on an amount measures `amount` / `base`."""

    seconds: float
    amount: float
    base: float


@dataclass(frozen=True, slots=True)
class EachSecond:
    """The seconds of a level, in order.

    Attributes:
        lengths_s: The length of each.
        answered: How many scenarios ended in each.
        waiting: How many were unanswered at the end of each.
        users: The distinct numbers of users, in order of appearance.
        parts: What each criterion on an amount measures, by its text; only for seconds that are
            summed up in stretches.

    """

    lengths_s: "array[float]" = field(default_factory=lambda: array("d"))
    answered: "array[int]" = field(default_factory=lambda: array("q"))
    waiting: "array[int]" = field(default_factory=lambda: array("q"))
    users: dict[int, None] = field(default_factory=dict)
    parts: dict[str, list[Part]] = field(default_factory=dict)

    def add(self, interval: Interval) -> None:
        """Add the next second."""
        tallies = interval.scenarios
        self.lengths_s.append(interval.to_s - interval.from_s)
        self.answered.append(sum(tally.completed + tally.failed for tally in tallies))
        waiting = sum(tally.pending.count for tally in tallies)
        self.waiting.append(waiting + interval.backlog.count)
        self.users[interval.users] = None


def each_of(intervals: Iterable[Interval]) -> EachSecond:
    """The figures of seconds that are kept whole."""
    each = EachSecond()
    for interval in intervals:
        each.add(interval)
    return each
