"""Levels of two sides at equal users, and how they differ."""

from collections.abc import Sequence

from headcount.analyse.compare.comparison import Difference
from headcount.analyse.compare.difference import Between, difference
from headcount.analyse.compare.estimate import Matched, estimate
from headcount.analyse.compare.interleaved import Interleaved, interleaved_run
from headcount.analyse.compare.measured import Measured
from headcount.analyse.compare.metrics import OF_LEVELS
from headcount.analyse.compare.pairing import paired
from headcount.analyse.compare.subject import Side


def common_users(first: Side, second: Side) -> list[int]:
    """The numbers of users that both sides measured; nothing is ever interpolated."""
    return sorted(set(first.users()) & set(second.users()))


def matched(
    users: int,
    first: Sequence[Measured],
    second: Sequence[Measured],
    turns: Interleaved | None = None,
) -> Matched:
    """The levels of both sides at this number of users, in pairs if `turns` has them as such."""
    a = [one for one in first if one.users == users]
    b = [one for one in second if one.users == users]
    if turns is not None:
        by_index = [{one.level.index: one for one in side} for side in (a, b)]
        known = [
            (by_index[0][one], by_index[1][two])
            for one, two in turns.at(users)
            if one in by_index[0] and two in by_index[1]
        ]
        if known:
            a, b = [one for one, _ in known], [two for _, two in known]
    others = tuple([one for one in side if one.users != users] for side in (first, second))
    return Matched(a, b, paired(a, b), (others[0], others[1]))


def differences(
    sides: tuple[Side, Side], levels: tuple[Sequence[Measured], Sequence[Measured]]
) -> list[Difference]:
    """Every metric at every number of users that both sides measured, the fewest users first."""
    found = []
    turns = interleaved_run(*sides)
    for users in sorted({one.users for one in levels[0]} & {one.users for one in levels[1]}):
        here = matched(users, *levels, turns)
        for metric in OF_LEVELS:
            one = estimate(metric.id, here)
            if one is None:
                continue
            bounds = (one.log.low, one.log.high) if one.log is not None else None
            between = Between(
                one.a, one.b, one.runs, bounds, one.method, one.pairs, users, one.pair_spread
            )
            found.append(difference(metric, between, *sides))
    return found
