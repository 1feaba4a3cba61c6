"""Levels in which the server stood still: what they say without those seconds.

One stall must not decide how many users a server holds, and stalls that come again and again are
part of it. So the first are left out of their levels, and from the third on all count.
"""

from collections.abc import Sequence
from dataclasses import replace

from headcount.analyse.search.observation import Observation, Share

SELDOM = 2
SELDOM_SHARE = 0.1
"""Levels with a stall, or their share of all levels, up to which stalls are left out."""

KEPT_LEAST = 0.5
"""Share of a level that must remain; of less, nothing is known."""


def are_seldom(observations: Sequence[Observation]) -> bool:
    """Whether so few levels have a stall that it says nothing about the next ones."""
    with_stalls = sum(bool(o.stalls) for o in observations)
    return with_stalls <= max(SELDOM, SELDOM_SHARE * len(observations))


def without_stalls(observation: Observation) -> Observation | None:
    """The level without its stalls and the time it took to get over them; None if little is left.

    A constraint without batches, such as a mean, cannot be cut: a level that breaks one says
    nothing. The end of a stall is the first batch that meets the limit again.
    """
    if not observation.stalls:
        return observation
    cut = set[int]()
    batched = [c for c in observation.constraints if isinstance(c, Share) and c.batches]
    for share in batched:
        cut |= _stalled_batches(observation, share)
    number = max((len(share.batches) for share in batched), default=0)
    if any(not c.passed and c not in batched for c in observation.constraints):
        return None
    if not number or number - len(cut) < KEPT_LEAST * number:
        return None
    constraints = tuple(_cut(c, cut) if c in batched else c for c in observation.constraints)
    kept_s = observation.measure_s * (number - len(cut)) / number
    return replace(observation, measure_s=kept_s, constraints=constraints, stalls=())


def _stalled_batches(observation: Observation, share: Share) -> set[int]:
    """The batches of a constraint that a stall touches, and those until it is met again."""
    number = len(share.batches)
    length_s = observation.measure_s / number
    found = set[int]()
    for after_s, seconds in observation.stalls:
        first = min(int(after_s / length_s), number - 1)
        last = min(int((after_s + seconds) / length_s), number - 1)
        # What waits at the end of a batch is counted when it is answered, in the next.
        while last + 1 < number and _is_broken(share, last + 1):
            last += 1
        found |= set(range(first, last + 1))
    return found


def _is_broken(share: Share, batch: int) -> bool:
    bad, total = share.batches[batch]
    return bad > share.allowed * total


def _cut(share: Share, cut: set[int]) -> Share:
    batches = tuple(batch for at, batch in enumerate(share.batches) if at not in cut)
    bad, total = sum(bad for bad, _ in batches), sum(total for _, total in batches)
    return replace(share, bad=min(bad, total), total=total, batches=batches)
