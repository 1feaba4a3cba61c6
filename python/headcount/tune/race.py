"""Whether one configuration is better than another, from pairs of turns; pure.

A gain is the logarithm of a ratio, above zero where the challenger is better. Pairs of all races of
a tuning scatter alike, so their spread is estimated from all of them together: two pairs alone say
nothing of it. (Racing: Maron and Moore, Hoeffding races, NIPS 1993; with Student's t here.)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from headcount.analyse.statistics.pairs import POWER, power
from headcount.analyse.statistics.student import quantile
from headcount.bundle.tuning import Outcome, Pair
from headcount.tune.change import Configuration
from headcount.tune.stay import corrected, gains

LEAST, MOST = 2, 8
"""Pairs of a race."""
FEWEST_TO_WIN = 4
MOST_WITHOUT = 6
SMALLEST = math.log(1.02)
"""A gain that is worth a change of a server."""
MOST_LOST = 0.25
"""Of a gain, for fewer changes."""
MOST_PROVED = 3.0
"""The largest ratio for which the pairs that prove it are computed."""
CHANCE_TO_WIN, CHANCE_TO_CLAIM = 0.98, 0.995
"""One-sided. A race looks after each pair, so that one in twenty equal challengers wins by chance,
and some twenty race in a tuning: only what also holds on turns of its own is claimed."""

CONFIDENCE_OF_CLAIM = 2 * CHANCE_TO_CLAIM - 1
CHANCE_TO_KEEP = 0.99
"""One-sided: a change is part of the answer if taking it back is worse by this bound."""

Judgement = Literal["go on", "better", "not better", "worse", "no worse"]


@dataclass
class Race:
    """A challenger against the best so far."""

    challenger: Configuration
    incumbent: Configuration
    pairs: list[Pair] = field(default_factory=list)
    stay: float = 0.0
    """The gain, as a logarithm, of a turn whose users have stayed."""
    outcome: Outcome = "unfinished"
    why: str | None = None

    def restart(self) -> None:
        """Count none of the pairs so far: their load hid what the challenger can do."""
        self.pairs = [one.model_copy(update={"log_gain": None}) for one in self.pairs]

    @property
    def gains(self) -> list[float]:
        """Gains of the pairs that count, without what staying users give."""
        return gains(self.corrected)

    @property
    def corrected(self) -> list[Pair]:
        """Its pairs as if no users had stayed."""
        return [corrected(one, self.stay) for one in self.pairs]


@dataclass(frozen=True, slots=True)
class Spread:
    """How much a pair of two equal configurations scatters: the standard deviation of its gain.

    `freedom` is the number of pairs it comes from, less one for each race.
    """

    value: float
    freedom: int


def spread_of(races: Sequence[Sequence[float]], fitted: int = 0) -> Spread | None:
    """The common spread within races; None with too few pairs.

    `fitted` are the parameters, beside the means, that were estimated from the same pairs.
    """
    squares, freedom = 0.0, -fitted
    for race in races:
        mean = sum(race) / len(race) if race else 0.0
        squares += sum((gain - mean) ** 2 for gain in race)
        freedom += max(len(race) - 1, 0)
    return Spread(math.sqrt(squares / freedom), freedom) if freedom > 0 else None


@dataclass(frozen=True, slots=True)
class Gain:
    """A mean gain with its one-sided bounds."""

    mean: float
    low: float
    high: float
    pairs: int


def gain_of(gains: Sequence[float], spread: Spread, chance: float = CHANCE_TO_WIN) -> Gain:
    """The gain of a race: Student's t on the common spread."""
    mean = sum(gains) / len(gains)
    error = spread.value / math.sqrt(len(gains))
    half = quantile(spread.freedom, 2 * chance - 1) * error
    return Gain(mean, mean - half, mean + half, len(gains))


def worth(smallest: float | None) -> float:
    """The gain, as a logarithm, below which a race is given up.

    `smallest` is the ratio that the tuning can prove; None above 3. Time spent on much less is lost
    to challengers that could be proved.
    """
    return max(SMALLEST, math.log(smallest or MOST_PROVED) / 2)


def worth_keeping(smallest: float | None, gained: float) -> float:
    """The loss, as a logarithm, that makes a change of the winner worth keeping.

    At most `MOST_LOST` of what the winner has `gained`.
    """
    return max(SMALLEST, min(worth(smallest), MOST_LOST * gained))


def judge(gains: Sequence[float], spread: Spread, worth: float = SMALLEST) -> Judgement:
    """Whether a race goes on, and if not, who has won. A gain below `worth` is given up."""
    if len(gains) < LEAST:
        return "go on"
    found = gain_of(gains, spread)
    error = spread.value / math.sqrt(len(gains))
    if found.mean + error < worth:
        return "not better"
    if len(gains) >= FEWEST_TO_WIN and found.low > 0 and found.mean > SMALLEST:
        return "better"
    return "go on" if len(gains) < MOST else "not better"


def judge_without(gains: Sequence[float], spread: Spread, worth: float = SMALLEST) -> Judgement:
    """Whether taking a change back is worse; the gains are those of being without it.

    A loss that is unlikely to reach `worth` is none.
    """
    if len(gains) < LEAST:
        return "go on"
    found = gain_of(gains, spread, CHANCE_TO_KEEP)
    if found.high < 0:
        return "worse"
    error = spread.value / math.sqrt(len(gains))
    is_little = found.low > -SMALLEST or found.mean - error > -worth
    return "no worse" if is_little or len(gains) >= MOST_WITHOUT else "go on"


def smallest_gain(spread: float, pairs: int) -> float | None:
    """The smallest ratio above 1 that this many pairs prove four times out of five; None above 3.

    `spread` is the standard deviation of a pair's gain.
    """
    low, high = 1.0, MOST_PROVED
    if power(pairs, spread, high, CONFIDENCE_OF_CLAIM) < POWER:
        return None
    while high / low > 1.002:
        middle = math.sqrt(low * high)
        if power(pairs, spread, middle, CONFIDENCE_OF_CLAIM) >= POWER:
            high = middle
        else:
            low = middle
    return max(high, math.exp(SMALLEST))
