"""A figure of one level on the logarithmic scale: its value, and how exactly the level knows it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from headcount.analyse.compare.comparison import Reading
from headcount.analyse.statistics.student import quantile


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure above zero.

    Attributes:
        value: In the metric's unit.
        error: Standard error of its logarithm, as the level itself shows it; None if nothing does.
        freedom: Degrees of freedom of that.

    """

    value: float
    error: float | None = None
    freedom: float = math.inf

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its 95 % interval: of this level, not of how another one would differ."""
        if self.error is None:
            return None
        half = min(quantile(self.freedom) * self.error, 700.0)
        return self.value * math.exp(-half), self.value * math.exp(half)

    def reading(self, runs: int = 1) -> Reading:
        """The same for the record."""
        return Reading(value=self.value, interval=self.interval, runs=runs)


def sectioned(whole: float, sections: Sequence[float]) -> Figure | None:
    """A figure of a level and the same figure of its consecutive sections.

    Sectioning on the log scale (Asmussen and Glynn, Stochastic Simulation, 2007, III.5): the spread
    of the sections around the whole. What happens within a section may be as correlated as it
    likes; a section must be long against the busy periods of the server. None where the figure is
    not above zero; without an error where fewer than five sections, or one of zero, show none.
    """
    if not (math.isfinite(whole) and whole > 0):
        return None
    if len(sections) < FEWEST or min(sections) <= 0:
        return Figure(whole)
    logs = [math.log(value / whole) for value in sections]
    spread = math.fsum(log**2 for log in logs) / (len(logs) - 1)
    return Figure(whole, math.sqrt(spread / len(logs)), len(logs) - 1)


FEWEST = 5
"""Fewer sections say too little of their spread: Student's t would widen the interval by half."""


def combined_figure(figures: Sequence[Figure]) -> Figure:
    """The geometric mean of the same figure of several levels, each as sure of itself as before."""
    if len(figures) == 1:
        return figures[0]
    value = math.exp(math.fsum(math.log(one.value) for one in figures) / len(figures))
    errors = [one.error for one in figures]
    if any(error is None for error in errors):
        return Figure(value)
    total = math.sqrt(math.fsum(error**2 for error in errors if error is not None))
    return Figure(value, total / len(figures), min(one.freedom for one in figures))
