"""Whether two capacities differ by more than their intervals allow for."""

import math
from dataclasses import dataclass

from scipy.special import ndtri

from headcount.bundle.verdict import Capacity
from headcount.text import count, plural, share

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Change:
    """How much larger one capacity is than another, as a share, with its 95% interval."""

    value: float
    low: float
    high: float

    @property
    def is_difference(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0


def change(first: Capacity | None, second: Capacity | None) -> Change | None:
    """The change from the first to the second; None if either has no interval.

    The value compares the published numbers. The interval comes from the estimates behind them,
    widened if needed to contain the value. It assumes independent searches and normal errors of the
    logarithms, each as wide as its 95% interval says.
    """
    if first is None or second is None:
        return None
    logs = [_log(one) for one in (first, second)]
    if logs[0] is None or logs[1] is None:
        return None
    middle = logs[1][0] - logs[0][0]
    reach = float(ndtri((1 + CONFIDENCE) / 2)) * math.hypot(logs[0][1], logs[1][1])
    low, high = math.expm1(middle - reach), math.expm1(middle + reach)
    value = math.expm1(middle)
    if first.users and second.users:
        value = second.users / first.users - 1
    return Change(value, min(low, value), max(high, value))


def change_sentence(shares: int, found: Capacity | None, first: tuple[int, Capacity | None]) -> str:
    """A comparison with the first number of shares."""
    here = f"{shares:,} {'share' if shares == 1 else 'shares'}"
    there = f"{first[0]:,}"
    if shares == first[0]:
        return f"{here}: {_users(found)}; the others are compared with this."
    changed = change(first[1], found)
    if changed is None:
        return (
            f"{here}: {_users(found)}; without both intervals it cannot be compared with {there}."
        )
    bounds = f"[{share(changed.low)}, {share(changed.high)}]"
    if not changed.is_difference:
        return f"{here}: {_users(found)}; no difference from {there} (change {bounds})."
    word = "more" if changed.value > 0 else "fewer"
    size = share(abs(changed.value))
    return f"{here}: {_users(found)}, which is {size} {word} than with {there} (change {bounds})."


def _users(found: Capacity | None) -> str:
    if found is None or found.users is None:
        return "no capacity was found"
    return f"{plural('user', found.users)} ({count(found.low)} to {count(found.high)})"


def _log(capacity: Capacity) -> tuple[float, float] | None:
    """The logarithm of a capacity, and its standard error."""
    estimate, low, high = capacity.estimate, capacity.low, capacity.high
    if not estimate or not low or not high or capacity.at_least:
        return None
    width = 2 * float(ndtri((1 + CONFIDENCE) / 2))
    return math.log(estimate), (math.log(high) - math.log(low)) / width
