"""Whether the server was saturated, and at which levels."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.thresholds import threshold

FEWEST_DECIDING = 3
"""Fewest deciding levels: of many saturated levels, as after a search, the upper half decides."""


@dataclass(frozen=True, slots=True)
class Saturation:
    """How throughput responds to users at the top.

    Attributes:
        elasticity: d ln X / d ln N between the largest levels and the nearest ones below that are
            surely apart; None if no two levels are.
        levels: The deciding saturated levels, by users; empty if none is valid.
        light: The valid level with the fewest users; None if there is none.
        alone_s: Time of a scenario with a single user, from the trial before the first level; None
            without a trial.
        most_per_s: The largest throughput of the valid levels.

    """

    elasticity: float | None
    levels: tuple[Observation, ...]
    light: Observation | None
    alone_s: float | None = None
    most_per_s: float = 0.0

    @property
    def growth(self) -> float:
        """How many times longer a scenario took at the deciding levels; 0 if unknown."""
        light_s = self.light.service_s if self.light is not None else None
        took_s = [level.service_s for level in self.levels if level.service_s is not None]
        return statistics.median(took_s) / light_s if took_s and light_s else 0.0

    @property
    def present(self) -> float:
        """Largest mean number of scenarios under way at the deciding levels; 0 if unknown."""
        return max((level.under_way or 0.0 for level in self.levels), default=0.0)


def saturation(observations: Sequence[Observation], alone_s: float | None = None) -> Saturation:
    """How throughput grew at the top of the valid levels."""
    valid = sorted((o for o in observations if o.valid), key=lambda o: (o.users, o.index))
    if not valid:
        return Saturation(None, (), None)
    most_per_s = max(level.per_s for level in valid)
    return Saturation(elasticity(valid), _deciding(valid), valid[0], alone_s, most_per_s)


def elasticity(levels: Sequence[Observation]) -> float | None:
    """Slope of ln X over ln N from the nearest lower levels to the top ones.

    Levels within the ratio `levels.apart` of each other are one point: their median. A level with
    more users than the top one but less throughput counts as flat: it is saturated all the same.
    """
    rates = [(level.users, level.per_s) for level in levels if level.per_s > 0]
    if not rates:
        return None
    apart = threshold("levels.apart")
    top = max(users for users, _ in rates)
    upper = [rate for rate in rates if rate[0] > top / math.sqrt(apart)]
    users = statistics.median(n for n, _ in upper)
    below = [rate for rate in rates if rate[0] <= users / apart]
    if not below:
        return None
    nearest = max(n for n, _ in below)
    lower = [rate for rate in below if rate[0] > nearest / math.sqrt(apart)]
    return (_middle(upper) - _middle(lower)) / math.log(
        users / statistics.median(n for n, _ in lower)
    )


def _middle(rates: Sequence[tuple[int, float]]) -> float:
    return statistics.median(math.log(per_s) for _, per_s in rates)


def _deciding(levels: Sequence[Observation]) -> tuple[Observation, ...]:
    """The levels from the knee on; of many, the upper half.

    If throughput falls again, the levels beyond the peak: the cause may not have been a limit
    before. A level at which the server is dead does not show why. Nor does one that is fast while
    users wait long at the top: it has nearly as much throughput, but no limit yet.
    """
    most = max(level.per_s for level in levels)
    knee = min(level.users for level in levels if level.per_s >= threshold("knee.share") * most)
    full = [level for level in levels if level.users >= knee]
    full = [level for level in full if _waits(level, full[-1], levels[0])]
    broken = [level for level in full if 0 < level.per_s < threshold("knee.collapse") * most]
    if full[-1] in broken:
        return tuple(broken)
    keep = max(FEWEST_DECIDING, math.ceil(len(full) / 2))
    return tuple(full[-keep:])


def _waits(level: Observation, top: Observation, light: Observation) -> bool:
    """Whether users wait at a level; True if they do not even at the top, or it is unknown."""
    if not light.service_s or level.service_s is None or top.service_s is None or level is top:
        return True
    if top.service_s < threshold("growth") * light.service_s:
        return True
    return level.service_s >= threshold("delay.steady") * light.service_s
