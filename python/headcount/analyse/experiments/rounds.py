"""Rounds of turns, and the means over them."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from headcount.analyse.elasticity import LEAST_PAIRS
from headcount.analyse.statistics.student import mean_and_error, quantile
from headcount.bundle.confirmation import Turn

Round = Mapping[str, Turn]
"""One turn under each condition, by the arm's name."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over rounds with its 95% interval, by Student's t.

    Attributes:
        value: The mean; of `ratio` the geometric one.
        low, high: The ends of the interval.

    """

    value: float
    low: float
    high: float


def rounds_of(turns: Sequence[Turn], arms: Sequence[str]) -> list[Round]:
    """The rounds with a turn under each condition; incomplete ones are left out."""
    found: dict[int, dict[str, Turn]] = {}
    for turn in turns:
        found.setdefault(turn.round, {})[turn.arm] = turn
    return [one for one in found.values() if all(arm in one for arm in arms)]


def mean(rounds: Sequence[Round], value: Callable[[Round], float | None]) -> Mean | None:
    """The mean of a figure over the rounds that have it; None with fewer than LEAST_PAIRS."""
    values = [found for one in rounds if (found := value(one)) is not None]
    if len(values) < LEAST_PAIRS:
        return None
    middle, error = mean_and_error(values)
    half = quantile(len(values) - 1) * error
    return Mean(middle, middle - half, middle + half)


def ratio(rounds: Sequence[Round], value: Callable[[Round], float | None]) -> Mean | None:
    """The geometric mean of a figure above zero, from the mean of its logarithms."""

    def log(one: Round) -> float | None:
        found = value(one)
        return math.log(found) if found is not None and found > 0 else None

    logs = mean(rounds, log)
    return logs and Mean(math.exp(logs.value), math.exp(logs.low), math.exp(logs.high))


def quotient(over: float | None, under: float | None) -> float | None:
    """The ratio of two figures; None unless both are above zero."""
    return over / under if over and under and over > 0 and under > 0 else None
