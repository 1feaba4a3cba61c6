"""Random choices of a trial, from the half of each range that belongs to its part."""

import math
import random
from collections.abc import Sequence
from typing import Literal, TypeVar

Part = Literal["develop", "held-out"]
SECTIONS = 8
T = TypeVar("T")


class Draw:
    """The choices of one trial."""

    def __init__(self, seed: str, part: Part) -> None:
        self._random = random.Random(seed)
        self._part = part
        self._next: float | None = None

    def between(self, low: float, high: float) -> float:
        """A figure on a logarithmic scale, from the sections of the range that the part has."""
        if self._next is not None:
            value, self._next = self._next, None
            return value
        section = 2 * self._random.randrange(SECTIONS // 2) + (self._part == "held-out")
        place = (section + self._random.random()) / SECTIONS
        return math.exp(math.log(low) + place * math.log(high / low))

    def whole(self, low: int, high: int) -> int:
        """A whole number, in the same way; neighbouring sections may share one."""
        return min(max(round(self.between(low, high)), low), high)

    def some(self, choices: Sequence[T], number: int) -> list[T]:
        """Several different choices."""
        return self._random.sample(choices, number)

    def one(self, choices: Sequence[T]) -> T:
        """One of some choices."""
        return self._random.choice(choices)

    def fixed(self, value: float) -> "Draw":
        """A copy whose next figure is this one."""
        other = Draw("", self._part)
        other._random = self._random
        other._next = value
        return other
