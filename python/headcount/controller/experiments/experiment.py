"""What an experiment is: one record in the registry."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from headcount.bundle.confirmation import Finding, Turn
from headcount.bundle.diagnosis import Limit
from headcount.controller.experiments.stage import Stage


class NotPlayable(Exception):  # noqa: N818 - an answer, not a failure
    """Why an experiment cannot be made, found out only while it is prepared."""


@dataclass(frozen=True)
class Experiment:
    """One way to tell limits apart.

    Attributes:
        name: Its name in the answer.
        does: What happens, for people, after "it".
        about: Limits that have different results here.
        arms: Turns of a round.
        obstacle: Gives why it cannot be made here, or None.
        play: Gives turns, round by round.
        judge: Gives the finding from the turns; None if they are too few.
        turn_s: Length of its turns, if that does not depend on the available time.
        starts_server: Whether it starts a lab server of its own.

    """

    name: str
    does: str
    about: frozenset[Limit]
    arms: int
    obstacle: Callable[[Stage], str | None]
    play: Callable[[Stage, int], Iterator[Turn]]
    judge: Callable[[Stage, Sequence[Turn]], Finding | None]
    turn_s: float | None = None
    starts_server: bool = False
