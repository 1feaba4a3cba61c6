"""At how many users a server recovers from an overload that does not end by itself.

The search overloads the server again, then removes users in steps until it serves those who are
left. These levels say nothing about the capacity.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from headcount.analyse.search.observation import Request, Share, Taken
from headcount.analyse.search.recovery import NEARLY, is_overloaded

STEP = 0.75
"""Ratio of the users of each level to those of the one before."""
LEAST = 0.05
"""The last level has at least this share of the users at whom the server stayed down."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """How an overload by ``overload`` users ended.

    At ``down_at`` users it lasted for the ``within_s`` seconds of the wait; at ``recovers_at`` it
    ended; None if it never did.
    """

    overload: int
    down_at: int
    recovers_at: int | None
    within_s: float


def recovery_of(taken: Sequence[Taken], kept_down: dict[int, int]) -> Recovery | None:
    """What the levels after an overload showed; None until they are complete."""
    levels = _levels(taken)
    if not kept_down or not levels or _next_users(taken, kept_down) is not None:
        return None
    overload, *left = levels
    if not left or not is_overloaded(overload.observation):
        return None
    down = [t.observation.users for t in left if not _has_recovered(t)]
    return Recovery(
        overload=overload.observation.users,
        down_at=min(down, default=_stayed_down(taken, kept_down)),
        recovers_at=left[-1].observation.users if _has_recovered(left[-1]) else None,
        within_s=max(t.observation.overhead_s + t.observation.measure_s for t in left),
    )


def recovery_request(
    taken: Sequence[Taken], kept_down: dict[int, int], measure_s: float
) -> Request | None:
    """The next level after an overload; None if there is none to run."""
    users = _next_users(taken, kept_down)
    return None if users is None else Request(users, measure_s, "recovery", may_stop_early=False)


def _next_users(taken: Sequence[Taken], kept_down: dict[int, int]) -> int | None:
    """Users of the next level: the overload, then fewer and fewer until the server recovers."""
    if not kept_down:
        return None
    levels = _levels(taken)
    if not levels:
        return min(kept_down.values())
    if not is_overloaded(levels[0].observation) or _has_recovered(levels[-1]):
        return None
    stayed = _stayed_down(taken, kept_down)
    before = stayed if len(levels) == 1 else levels[-1].observation.users
    users = math.floor(STEP * before)
    return users if users >= max(1.0, LEAST * stayed) else None


def _levels(taken: Sequence[Taken]) -> list[Taken]:
    return [t for t in taken if t.request.purpose == "recovery"]


def _stayed_down(taken: Sequence[Taken], kept_down: dict[int, int]) -> int:
    """The fewest users at whom the server did not recover in the search itself."""
    return min(taken[index].observation.users for index in kept_down)


def _has_recovered(level: Taken) -> bool:
    """Whether the server met its limits, or nearly, in the second half of a level."""
    return all(
        _late_share(c) <= NEARLY * c.allowed if isinstance(c, Share) else c.passed
        for c in level.observation.constraints
    )


def _late_share(constraint: Share) -> float:
    """The share of bad scenarios in the second half of a level."""
    late = constraint.batches[len(constraint.batches) // 2 :]
    total = sum(total for _, total in late)
    return sum(bad for bad, _ in late) / total if total else constraint.share
