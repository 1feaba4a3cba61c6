"""Whether the runs of two sides alternated in time, so that what drifts cancels."""

from collections.abc import Sequence

from headcount.analyse.compare.measured import Measured

Pair = tuple[Measured, Measured]
"""A level of the first side and one of the second, measured one after the other in either order."""


def paired(first: Sequence[Measured], second: Sequence[Measured]) -> list[Pair]:
    """The levels in pairs; empty unless they alternated in time: ABAB, ABBA, or pairs drawn by lot.

    In the order of time each two that follow one another must be one of each side. AABB pairs
    nothing: a machine that got slower in between is a difference between A and B.
    """
    if len(first) != len(second):
        return []
    ordered = sorted(
        [(one.level.started_at, 0, one) for one in first]
        + [(one.level.started_at, 1, one) for one in second],
        key=lambda entry: entry[:2],
    )
    pairs: list[Pair] = []
    for (_, side, one), (_, other, two) in zip(ordered[::2], ordered[1::2], strict=True):
        if side == other:
            return []
        pairs.append((one, two) if side == 0 else (two, one))
    return pairs
