"""Bad moments: stretches of levels in which the server held far fewer users than usual.

A periodic job, a flush, a neighbour: in most levels the server holds its usual load, and for some
seconds much less. No single number describes such a server.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scipy.special import betaincinv, logit

from headcount.analyse.search.counted import ALIKE
from headcount.analyse.search.observation import Share, Taken
from headcount.analyse.search.regression import LEAST_ALLOWED, SLOPE, USUAL_SPREAD

APART = 4.0
"""Standard deviations, of such a stretch on a quiet server, from which it is not chance."""

OFTEN = 2
OFTEN_SHARE = 0.02
"""Number of bad moments, and their share of the time, from which they belong to the server: a
single one may be anything, and pauses of a garbage collector take half a percent of the time."""

FURTHEST = 4.0
"""Logits above the allowed share beyond which more means nothing: nearly all were bad."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A bad moment.

    ``index`` is the place of its level among those taken, from 0. It began ``after_s`` into the
    measured part with batch ``first``, lasted ``seconds``, and ended before batch ``end``. The
    server held fewer than ``held`` users in it.
    """

    index: int
    users: int
    after_s: float
    seconds: float
    first: int
    end: int
    held: float


@dataclass(frozen=True, slots=True)
class BadMoments:
    """The bad moments of a search; ``share`` is their part of the time in which they would show."""

    moments: tuple[Moment, ...] = ()
    share: float = 0.0

    @property
    def are_often(self) -> bool:
        """Whether there are so many that they belong to the server."""
        return len(self.moments) >= OFTEN and self.share >= OFTEN_SHARE

    @property
    def held(self) -> float:
        """Upper bound on the users held in all bad moments but the worst; infinite if none.

        The worst one alone may have another cause.
        """
        return sorted(m.held for m in self.moments)[1] if self.are_often else math.inf


def bad_moments(levels: Iterable[tuple[int, Taken]], name: str, users: float) -> BadMoments:
    """The bad moments of levels, each with its index, by the constraint ``name``.

    ``users`` is the estimate of the capacity.
    """
    looked: list[tuple[int, float]] = []
    found: list[Moment] = []
    for index, taken in levels:
        if taken.observation.users > users:
            continue
        for share in _batched(taken, name):
            length_s = taken.observation.measure_s / len(share.batches)
            looked.append((taken.observation.users, taken.observation.measure_s))
            for first, end in _stretches(share):
                seconds = length_s * (end - first)
                held = taken.observation.users * math.exp(-_beyond(share.batches[first:end], share))
                usual = USUAL_SPREAD * math.sqrt(60.0 / seconds)
                if held < users * math.exp(-APART * usual):
                    place = first * length_s, seconds, first, end
                    found.append(Moment(index, taken.observation.users, *place, held))
    return BadMoments(tuple(found), _part(found, looked))


def _batched(taken: Taken, name: str) -> list[Share]:
    """The constraint of a level if it has batches; with stalls, it has lost some of them."""
    if not taken.observation.valid or taken.observation.stalls:
        return []
    return [
        c
        for c in taken.observation.constraints
        if isinstance(c, Share) and c.name == name and c.batches
    ]


def _stretches(share: Share) -> list[tuple[int, int]]:
    """First batch and end of each run of batches whose share is surely over the allowed one."""
    found: list[tuple[int, int]] = []
    for index, (bad, total) in enumerate(share.batches):
        if _least(bad, total) <= share.allowed:
            continue
        if found and found[-1][1] == index:
            found[-1] = found[-1][0], index + 1
        else:
            found.append((index, index + 1))
    return found


def _least(bad: float, total: float) -> float:
    """Lower bound of the bad share (Jeffreys, 97.5%), for correlated requests."""
    return float(betaincinv(bad / ALIKE + 0.5, (total - bad) / ALIKE + 0.5, 0.025))


def _beyond(batches: Sequence[tuple[float, float]], share: Share) -> float:
    """How far, in ln(users), the capacity of a stretch surely was below the level's users."""
    least = _least(sum(bad for bad, _ in batches), sum(total for _, total in batches))
    above = float(logit(least) - logit(max(share.allowed, LEAST_ALLOWED)))
    return max(0.0, min(above, FURTHEST)) / SLOPE


def _part(moments: Sequence[Moment], looked: Sequence[tuple[int, float]]) -> float:
    """Their share of the time in the levels where such moments show and the rest is fine."""
    if not moments:
        return 0.0
    least = min(moment.users for moment in moments)
    seconds = sum(seconds for number, seconds in looked if number >= least)
    return min(sum(moment.seconds for moment in moments) / seconds, 1.0)
