"""How far a figure of outages moved between two set-ups, by ranks; pure.

A figure that did not come while users were watched ranks as longer than all others in the test. The
interval assumes less: only that the figure exceeds the time that was watched.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from headcount.analyse.outage.comparison import Centre, Shift
from headcount.analyse.outage.spread import ASKED, FIGURES, OF_WRITES
from headcount.analyse.statistics.order import quantile
from headcount.analyse.statistics.rank_sum import p_value
from headcount.analyse.statistics.shift import end_of
from headcount.bundle.failover import Outage

LEVEL = 0.05
"""Significance level of the test; the intervals have the complementary confidence."""


@dataclass(frozen=True, slots=True)
class Felt:
    """One value, or the fact that it did not come within the time that was watched."""

    value: float | None
    longer_than: float = 0.0

    @property
    def rank(self) -> float:
        """Its rank value: one that did not come is longer than all."""
        return math.inf if self.value is None else self.value

    @property
    def least(self) -> float:
        """The least that it can be."""
        return self.longer_than if self.value is None else self.value


def values(figure: str, outages: Sequence[Outage]) -> list[Felt]:
    """A figure of all repetitions; empty if nobody was asked for it."""
    read = FIGURES[figure]
    found = [
        Felt(read(one), _watched(figure, one))
        for one in outages
        if figure not in OF_WRITES or one.writes is not None
    ]
    if figure in ASKED and all(one.value is None for one in found):
        return []
    return found


def _watched(figure: str, one: Outage) -> float:
    return one.silent_s if figure == "silent_s" else one.watched_s


def shift(figure: str, names: tuple[str, str], a: Sequence[Felt], b: Sequence[Felt]) -> Shift:
    """How far a figure moved from the first set-up to the second; both must have it."""
    p = p_value([one.rank for one in a], [one.rank for one in b])
    low, high = interval(a, b)
    return Shift(
        figure=figure,
        first=names[0],
        second=names[1],
        a=_centre(a),
        b=_centre(b),
        shift=_known(statistics.median(_differences(a, b))),
        low=low,
        high=high,
        p=p,
        finding=_finding(a, b, p, (low, high)),
    )


def interval(a: Sequence[Felt], b: Sequence[Felt]) -> tuple[float | None, float | None]:
    """The 95% interval of the shift from a to b; None for an end that is not bounded.

    It inverts the rank sum test (Hollander, Wolfe and Chicken, Nonparametric Statistical Methods,
    3rd ed., 2014, 4.3), with the least that each difference may be for the lower end, and the most
    for the upper one. With ties and values that did not come, it is too wide rather than too
    narrow. It assumes that the set-ups differ by a shift.
    """
    place = end_of(len(a), len(b))
    if place is None:
        return None, None
    least = _sorted_differences([one.rank for one in a], [one.least for one in b])
    most = _sorted_differences([one.least for one in a], [one.rank for one in b])
    return _known(least[place]), _known(most[-1 - place])


def _sorted_differences(a: Sequence[float], b: Sequence[float]) -> list[float]:
    return sorted(two - one for two in b for one in a)


def _differences(a: Sequence[Felt], b: Sequence[Felt]) -> list[float]:
    """All differences; two that did not come are equal, as in the test."""
    pairs = [(one.rank, two.rank) for one in a for two in b]
    return [0.0 if one == two else two - one for one, two in pairs]


def _finding(
    a: Sequence[Felt], b: Sequence[Felt], p: float, bounds: tuple[float | None, float | None]
) -> Literal["better", "worse", "no difference shown"]:
    """The test decides, unless the interval has room on both sides of no shift."""
    low, high = bounds
    if p > LEVEL or ((low is None or low < 0) and (high is None or high > 0)):
        return "no difference shown"
    longer = sum(math.copysign(1, one) for one in _differences(a, b) if one)
    return "worse" if longer > 0 else "better"


def _centre(found: Sequence[Felt]) -> Centre:
    return Centre(
        number=len(found),
        missing=sum(one.value is None for one in found),
        median=_known(quantile([one.rank for one in found], 0.5).value),
    )


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
