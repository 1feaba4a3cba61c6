"""Rounds of turns, one of each configuration, and the gains that they come to."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bench.tuning.stage import Stage
from headcount.bundle.tuning import Measure
from headcount.tune.change import AS_IT_IS, Configuration
from headcount.tune.goal import figure
from headcount.tune.load import LESS, MOST_LOWERS, has_collapsed, lowered
from headcount.tune.pairs import gain_of, mean, ratio_of
from headcount.tune.tunable import NotAccepted

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Gain:
    """What a configuration gains over the planted server: a ratio, above 1 where it is better.

    All are None of one that the server does not accept.
    """

    ratio: float | None
    low: float | None = None
    high: float | None = None

    @property
    def log(self) -> float:
        """Its logarithm; 0 if it does not run, since nobody would install it."""
        return math.log(self.ratio) if self.ratio else 0.0


NO_GAIN, REFUSED = Gain(1.0, 1.0, 1.0), Gain(None)


Key = frozenset[tuple[str, str]]
"""What distinguishes a configuration from others."""


def rounds(
    stage: Stage, wanted: Collection[Configuration], users: int, measure: Measure, count: int
) -> Mapping[Key, Sequence[float]]:
    """The gains of configurations in so many rounds, as logarithms, by their keys.

    A round has one turn of each, and one of the server as it is, to which all are compared. The
    order is turned around each time, and begins with the next one each second time, so that each is
    played twice in a row as often as others: where users wait long, that alone changes throughput.
    A configuration that the server does not accept has no entry.
    """
    order = [AS_IT_IS, *wanted]
    logs: dict[Key, list[float]] = {one.key: [] for one in wanted}
    for number in range(count):
        start = number // 2 % len(order)
        turned = (order[start:] + order[:start])[:: -1 if number % 2 else 1]
        turns = {}
        for one in turned:
            try:
                turns[one.key] = stage.turn(one, users)
            except NotAccepted:
                if one == AS_IT_IS:
                    raise
                order.remove(one)
                del logs[one.key]
        for key, found in logs.items():
            gained = gain_of(turns[AS_IT_IS.key], turns[key], measure)
            if gained is not None:
                found.append(gained)
    return logs


def gain(logs: Sequence[float]) -> Gain:
    """The gain that pairs come to, with Student's interval."""
    ratio = ratio_of(logs, CONFIDENCE)
    if ratio is None:
        return Gain(math.exp(logs[0])) if logs else REFUSED
    return Gain(ratio.value, ratio.low, ratio.high)


def gains(
    stage: Stage, answers: Mapping[str, Configuration], users: int, measure: Measure, count: int
) -> Mapping[str, Gain]:
    """What answers gain, by their names, in `count` rounds.

    Equal answers are measured once. What changes nothing gains nothing.
    """
    alike = {one.key: one for one in answers.values() if one.changes}
    logs = rounds(stage, [*alike.values()], users, measure, count)
    return {
        name: gain(logs.get(one.key, ())) if one.changes else NO_GAIN
        for name, one in answers.items()
    }


@dataclass(frozen=True)
class Best:
    """What the oracle found.

    Attributes:
        configuration: The best of the grid.
        users: The load at which it was the best, which the planted server may not hold.
        turns: How many turns that took.

    """

    configuration: Configuration
    users: int
    turns: int


RAISE, MOST_RAISES = 1.5, 5
"""Like the tuner's: a load that the best of the grid holds would hide what it gains."""


def oracle(
    stage: Stage,
    grid: Sequence[Configuration],
    users: int,
    measure: Measure,
    count: int,
    most_users: int,
    best_per_s: float | None = None,
) -> Best:
    """The best of the grid in `count` rounds, with more users than the server as it is holds.

    Again with more users where the best holds these, unless they show much less. With fewer where
    the server does far less than `best_per_s`, its greatest throughput, if that is known.
    """
    if measure != "rate":
        best, _, turns = _best(stage, grid, users, measure, count)
        return Best(best, users, turns)
    users, spent = _not_collapsed(stage, users, best_per_s)
    users, turns = _beyond(stage, AS_IT_IS, users, most_users)
    best, most, more = _best(stage, grid, users, measure, count)
    raised, tried = _beyond(stage, best, users, most_users)
    turns += spent + more + tried
    if raised != users:
        found, gained, more = _best(stage, grid, raised, measure, count)
        turns += more
        if gained >= LESS * most:
            best, users = found, raised
    return Best(best, users, turns)


def _not_collapsed(stage: Stage, users: int, best_per_s: float | None) -> tuple[int, int]:
    """Users with whom the server as it is does something; and how many turns that took."""
    if best_per_s is None:
        return users, 0
    for lowers in range(MOST_LOWERS):
        turns = [stage.turn(AS_IT_IS, users), stage.turn(AS_IT_IS, users)]
        if not has_collapsed(turns, best_per_s):
            return users, 2 * lowers + 2
        users = lowered(users)
    return users, 2 * MOST_LOWERS


def _beyond(stage: Stage, one: Configuration, users: int, most: int) -> tuple[int, int]:
    """More users than it holds, at most so many; and how many turns that took."""
    for turns in range(1, MOST_RAISES + 1):
        if stage.turn(one, users).outcome != "passed" or users == most:
            return users, turns
        raised = min(math.ceil(users * RAISE), most)
        if stage.durations.is_too_slow(AS_IT_IS, raised):
            return users, turns
        users = raised
    return users, MOST_RAISES


def _best(
    stage: Stage, grid: Sequence[Configuration], users: int, measure: Measure, count: int
) -> tuple[Configuration, float, int]:
    """The configuration with the best mean gain, or none; that gain; how many turns it took."""
    wanted = [one for one in grid if one.changes]
    logs = rounds(stage, wanted, users, measure, count)
    means = [(mean(logs[one.key]), one) for one in wanted if logs.get(one.key)]
    most, best = max([(0.0, AS_IT_IS), *means], key=lambda found: found[0])
    return best, most, count * (1 + len(logs))


def score(stage: Stage, one: Configuration, users: int, measure: Measure) -> float | None:
    """What a single turn comes to, larger is better; None where it has no figure."""
    value = figure(stage.turn(one, users), measure)
    if not value:
        return None
    return math.log(value) * (1 if measure == "rate" else -1)
