"""Servers that an overload keeps down: how a level depends on the one before.

Some servers do not recover when users leave: a long queue makes each request more expensive, so it
stays long. A level that directly follows an overload may then fail although the server holds its
users. The first such level is run again after all users have left; if it passes, or nearly, the
first one says nothing about the capacity. From then on a level that follows an overload starts with
no users.
"""

from collections.abc import Sequence
from itertools import pairwise

from headcount.analyse.search.observation import SEARCHING, Observation, Share, Taken

NEARLY = 3.0
"""Multiple of its limit up to which a level is near it."""

OVERLOADED = 0.5
"""Share of bad scenarios from which a server is overloaded, and not merely at its limit."""


def is_overloaded(observation: Observation) -> bool:
    """Whether more than half of some share was bad."""
    return any(isinstance(c, Share) and c.share > OVERLOADED for c in observation.constraints)


def kept_down(taken: Sequence[Taken]) -> dict[int, int]:
    """Indices of the levels that failed due to the overload before them, with its users."""
    return {
        index: taken[index - 1].observation.users
        for index in suspects(taken)
        if any(_nearly_holds(t.observation) for t in _tests(taken, index))
    }


def _nearly_holds(observation: Observation) -> bool:
    """Whether no constraint is broken by much; near its limit a server may pass or fail."""
    return all(
        c.share <= NEARLY * c.allowed if isinstance(c, Share) else c.value <= NEARLY * c.limit
        for c in observation.constraints
    )


def tested(taken: Sequence[Taken]) -> frozenset[int]:
    """Indices of the levels that were run again after all users had left: the later ones count."""
    return frozenset(index for index in suspects(taken) if _tests(taken, index))


def untested(taken: Sequence[Taken]) -> Taken | None:
    """The last level, if it is the first suspect: it is run again after all users have left."""
    return taken[-1] if suspects(taken) == [len(taken) - 1] else None


def suspects(taken: Sequence[Taken]) -> list[int]:
    """Indices of overloaded levels that directly followed an overload by more users."""
    return [
        index
        for index, (before, now) in enumerate(pairwise(taken), 1)
        if before.observation.valid
        and now.observation.valid
        and now.request.purpose in SEARCHING
        and not now.request.is_rested
        and before.observation.users > now.observation.users
        and is_overloaded(before.observation)
        and is_overloaded(now.observation)
    ]


def _tests(taken: Sequence[Taken], index: int) -> list[Taken]:
    """The level that was run again for the suspect, if any."""
    return [
        t
        for t in taken[index + 1 : index + 2]
        if t.request.is_rested
        and t.observation.valid
        and t.observation.users == taken[index].observation.users
    ]
