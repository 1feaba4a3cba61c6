"""`kinds`: only scenarios of the cheapest kind, and only of the most expensive.

Behind a resource that serves K at a time, throughput is K / S: the kind that takes twice as long
gets half of it (utilisation law; Denning and Buzen, The operational analysis of queueing network
models, Computing Surveys 10, 1978). A rate limit counts scenarios, whatever they cost. The exponent
between both is ln of the throughputs over ln of the times of a single user.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from headcount.analyse.diagnosis.thresholds import threshold
from headcount.analyse.elasticity import BETWEEN
from headcount.analyse.experiments.alone import share_alone
from headcount.analyse.experiments.limits import LOADED, UNLOADED, ordered
from headcount.analyse.experiments.rounds import Mean, Round, mean, ratio, rounds_of
from headcount.bundle.confirmation import Estimate, Finding, Turn
from headcount.bundle.diagnosis import Limit
from headcount.text import duration, significant

NAME = "kinds"
LEAST_DIFFERENCE = 1.5
"""Kinds whose single-user times are closer than this leave the exponent too uncertain."""
ALONE, ALL = ", one user", ", all users"
FOLLOWS = "throughput.cost.exponent"


@dataclass(frozen=True, slots=True)
class Kinds:
    """The names of both scenarios."""

    cheap: str
    expensive: str

    def alone(self, name: str) -> str:
        """The arm with one user."""
        return name + ALONE

    def loaded(self, name: str) -> str:
        """The arm with all users."""
        return name + ALL

    @property
    def arms(self) -> tuple[str, ...]:
        """All four, in the order of a round."""
        both = (self.cheap, self.expensive)
        return (*(self.alone(name) for name in both), *(self.loaded(name) for name in both))


def judge(turns: Sequence[Turn], kinds: Kinds) -> Finding | None:
    """The finding; None with too few rounds, or if the kinds cost nearly the same."""
    rounds = rounds_of(turns, kinds.arms)
    dearth = ratio(rounds, lambda each: _cost(each, kinds))
    follows = mean(rounds, lambda each: _exponent(each, kinds))
    places = ratio(rounds, lambda each: _places(each, kinds))
    if dearth is None or follows is None or places is None or dearth.low < LEAST_DIFFERENCE:
        return None
    pays = _slow_only(rounds, kinds)
    supports: set[Limit] = set()
    contradicts: set[Limit] = set()
    direct: list[Limit] = []
    if pays is None and follows.low > BETWEEN:
        contradicts, supports = {"limiter"}, {*LOADED, *UNLOADED} - {"limiter"}
    elif pays is None and follows.high < BETWEEN:
        supports, contradicts = {"limiter", "lock"}, set(LOADED - {"limiter", "lock"})
        # A lock that both kinds hold equally long is always busy, a rate limit is not.
        if places.high < threshold("limiter.high"):
            supports, contradicts = {"limiter"}, {*LOADED, "delay"} - {"limiter"}
            direct = ["limiter"]
    estimate = _estimate(follows, rounds, kinds)
    only = f'; only "{pays}" is slow under load, so the limit is a resource of that scenario'
    return Finding(
        experiment=NAME,
        supports=ordered(supports),
        contradicts=ordered(contradicts),
        direct=direct,
        size=None,
        size_unit=None,
        estimates=[estimate],
        sentence=estimate.sentence + (only if pays is not None else ""),
        turns=list(turns),
    )


def _cost(each: Round, kinds: Kinds) -> float | None:
    """How many times as long as the cheap kind the expensive one takes for a single user."""
    cheap = each[kinds.alone(kinds.cheap)].service_ms
    expensive = each[kinds.alone(kinds.expensive)].service_ms
    return expensive / cheap if cheap and expensive else None


def _exponent(each: Round, kinds: Kinds) -> float | None:
    """How far throughput follows the cost: 1 is in proportion, 0 not at all."""
    cost = _cost(each, kinds)
    cheap = each[kinds.loaded(kinds.cheap)].rate_per_s
    expensive = each[kinds.loaded(kinds.expensive)].rate_per_s
    if cost is None or cost <= 1 or not (cheap > 0 and expensive > 0):
        return None
    return math.log(cheap / expensive) / math.log(cost)


def _places(each: Round, kinds: Kinds) -> float | None:
    """How many of the cheap kind are in service."""
    alone_ms = each[kinds.alone(kinds.cheap)].service_ms
    return None if alone_ms is None else each[kinds.loaded(kinds.cheap)].rate_per_s * alone_ms / 1e3


def _slow_only(rounds: Sequence[Round], kinds: Kinds) -> str | None:
    """The one kind that is slow under load while the other is not; else None."""
    slow, fast = [], []
    for name in (kinds.cheap, kinds.expensive):
        found = share_alone(rounds, kinds.alone(name), kinds.loaded(name))
        if found is not None and found.high < BETWEEN:
            slow.append(name)
        elif found is not None and found.low > BETWEEN:
            fast.append(name)
    return slow[0] if slow and fast else None


def _estimate(found: Mean, rounds: Sequence[Round], kinds: Kinds) -> Estimate:
    def text(name: str) -> str:
        alone_ms = ratio(rounds, lambda each: each[kinds.alone(name)].service_ms)
        rate = ratio(rounds, lambda each: each[kinds.loaded(name)].rate_per_s)
        took = duration(alone_ms.value) if alone_ms is not None else "?"
        got = significant(rate.value) if rate is not None else "0"
        return f'"{name}" takes one user {took} and reaches {got} scenarios/s'

    sentence = (
        f"{text(kinds.cheap)}; {text(kinds.expensive)}: throughput follows the cost with exponent "
        f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f}); 1 is in proportion, 0 is a rate "
        "limit"
    )
    return Estimate(
        name=FOLLOWS,
        value=found.value,
        low=found.low,
        high=found.high,
        unit="1",
        sentence=sentence,
    )


def kinds_of(turns: Sequence[Turn]) -> Kinds:
    """The kinds that turns compare: the first round begins with one user of each."""
    cheap, expensive = (
        turns[place].arm.removesuffix(ALONE) if place < len(turns) else "" for place in (0, 1)
    )
    return Kinds(cheap, expensive)
