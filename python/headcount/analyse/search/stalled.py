"""Levels in which the server stalled: what they show without those seconds.

One stall must not decide how many users a server holds, but repeated stalls are part of it. So the
first ones are left out of their levels, and from the third on all count.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from headcount.analyse.search.observation import Observation, Share

SELDOM = 2
SELDOM_SHARE = 0.1
"""Levels with a stall, or their share of all levels, up to which stalls are left out."""

KEPT_LEAST = 0.5
"""Share of a level that must remain; less shows nothing."""


def are_seldom(observations: Sequence[Observation]) -> bool:
    """Whether so few levels have a stall that it says nothing about the next ones."""
    with_stalls = sum(bool(o.stalls) for o in observations)
    return with_stalls <= max(SELDOM, SELDOM_SHARE * len(observations))


def without_stalls(observation: Observation) -> Observation | None:
    """The level without its stalls and its recovery from them; None if too little is left.

    A constraint without batches, such as a mean, cannot be cut: a level that breaks one says
    nothing. A stall ends with the first batch that meets the limit again.
    """
    if not observation.stalls:
        return observation
    stalled = set[int]()
    for share in _batched(observation):
        stalled |= _stalled_batches(observation, share)
    cut = without_batches(observation, stalled)
    return None if cut is None else replace(cut, stalls=())


def without_batches(observation: Observation, left_out: AbstractSet[int]) -> Observation | None:
    """The level without some of its batches; None if too little of it is left."""
    batched = _batched(observation)
    number = max((len(share.batches) for share in batched), default=0)
    if any(not c.passed and c not in batched for c in observation.constraints):
        return None
    kept = number - len(left_out)
    if not number or kept < KEPT_LEAST * number:
        return None
    constraints = tuple(_cut(c, left_out) if c in batched else c for c in observation.constraints)
    return replace(
        observation, measure_s=observation.measure_s * kept / number, constraints=constraints
    )


def _batched(observation: Observation) -> list[Share]:
    return [c for c in observation.constraints if isinstance(c, Share) and c.batches]


def _stalled_batches(observation: Observation, share: Share) -> set[int]:
    """The batches of a constraint that a stall touches, and those until it is met again."""
    number = len(share.batches)
    length_s = observation.measure_s / number
    found = set[int]()
    for after_s, seconds in observation.stalls:
        first = min(int(after_s / length_s), number - 1)
        last = min(int((after_s + seconds) / length_s), number - 1)
        # What waits at the end of a batch is counted when it is answered, in the next one.
        while last + 1 < number and _is_broken(share, last + 1):
            last += 1
        found |= set(range(first, last + 1))
    return found


def _is_broken(share: Share, batch: int) -> bool:
    bad, total = share.batches[batch]
    return bad > share.allowed * total


def _cut(share: Share, cut: AbstractSet[int]) -> Share:
    batches = tuple(batch for at, batch in enumerate(share.batches) if at not in cut)
    bad, total = sum(bad for bad, _ in batches), sum(total for _, total in batches)
    return replace(share, bad=min(bad, total), total=total, batches=batches)
