"""Whether the runs of two sides alternated in time, so that drift cancels."""

from collections.abc import Sequence

from headcount.analyse.compare.measured import Measured

Pair = tuple[Measured, Measured]
"""A level of the first side and one of the second, measured one after the other in either order."""

PAIRED = 0.75
"""Share of the levels that must be in pairs."""


def paired(first: Sequence[Measured], second: Sequence[Measured]) -> list[Pair]:
    """The levels in pairs; empty unless they alternated in time: ABAB, ABBA, or pairs drawn by lot.

    In time order, two consecutive levels of different sides are a pair. One without a partner
    beside it, for example because that is invalid, is left out. That must remain the exception (at
    most a quarter). AAABBB pairs nothing: a machine that got slower in between is a difference
    between A and B.
    """
    ordered = sorted(
        [(one.level.started_at, 0, one) for one in first]
        + [(one.level.started_at, 1, one) for one in second],
        key=lambda entry: entry[:2],
    )
    pairs: list[Pair] = []
    waiting: tuple[int, Measured] | None = None
    for _, side, one in ordered:
        if waiting is None or waiting[0] == side:
            waiting = (side, one)
        else:
            pairs.append((waiting[1], one) if side == 1 else (one, waiting[1]))
            waiting = None
    return pairs if 2 * len(pairs) >= PAIRED * len(ordered) else []
