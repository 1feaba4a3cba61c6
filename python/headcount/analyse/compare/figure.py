"""A figure of one level on the logarithmic scale: its value, and how exactly it is known."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from headcount.analyse.compare.comparison import Reading
from headcount.analyse.statistics.student import quantile


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure above zero.

    Attributes:
        value: The figure, in the metric's unit.
        error: Standard error of its logarithm, as the level itself shows it; None if nothing does.
        freedom: Degrees of freedom of the error.

    """

    value: float
    error: float | None = None
    freedom: float = math.inf

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its 95% interval: that of this level, not of how another one would differ."""
        if self.error is None:
            return None
        half = min(quantile(self.freedom) * self.error, 700.0)
        return self.value * math.exp(-half), self.value * math.exp(half)

    def reading(self, runs: int = 1) -> Reading:
        """The figure as a record."""
        return Reading(value=self.value, interval=self.interval, runs=runs)


def sectioned(whole: float, sections: Sequence[float]) -> Figure | None:
    """A figure of a level and the same figure of its consecutive sections.

    Sectioning on the log scale (Asmussen and Glynn, Stochastic Simulation, 2007, III.5): the spread
    of the sections around the whole. Values within a section may be correlated; a section must be
    long compared with the busy periods of the server. None if the figure is not above zero; without
    an error if there are fewer than five sections, or one of them is zero.
    """
    if not (math.isfinite(whole) and whole > 0):
        return None
    if len(sections) < FEWEST or min(sections) <= 0:
        return Figure(whole)
    logs = [math.log(value / whole) for value in sections]
    spread = math.fsum(log**2 for log in logs) / (len(logs) - 1)
    return Figure(whole, math.sqrt(spread / len(logs)), len(logs) - 1)


FEWEST = 5
"""Fewest sections: with fewer, Student's t would widen the interval by half."""


def combined_figure(figures: Sequence[Figure]) -> Figure:
    """The geometric mean of one figure over several levels, with the error that follows."""
    if len(figures) == 1:
        return figures[0]
    value = math.exp(math.fsum(math.log(one.value) for one in figures) / len(figures))
    errors = [one.error for one in figures]
    if any(error is None for error in errors):
        return Figure(value)
    total = math.sqrt(math.fsum(error**2 for error in errors if error is not None))
    return Figure(value, total / len(figures), min(one.freedom for one in figures))
