"""What a schedule asks for, and the interface of a schedule."""

from dataclasses import dataclass
from typing import Protocol

from headcount.bundle.level import LevelResult
from headcount.bundle.versus import SideName
from headcount.controller.listener import Outlook


@dataclass(frozen=True, slots=True)
class Ask:
    """One level of one side, which starts and ends without users.

    `round` is None for a level outside any pair, on the way to where pairs are worth measuring.
    """

    side: SideName
    purpose: str
    users: int
    ramp_s: float
    settle_s: float
    measure_s: float
    may_stop_early: bool = False
    least_s: float = 20.0
    round: int | None = None

    @property
    def seconds(self) -> float:
        """Its planned length."""
        return self.ramp_s + self.settle_s + self.measure_s


class Schedule(Protocol):
    """Decides what is run next: two levels that are a pair, in order, or a single one."""

    def next(self) -> list[Ask]:
        """What is run next; empty when it is over."""
        ...

    def take(self, ask: Ask, result: LevelResult) -> None:
        """A level has ended."""
        ...

    def outlook(self) -> Outlook:
        """How far it is."""
        ...


def spare(rounds: int) -> int:
    """How many pairs are run again because a level of them did not count: half, at least one.

    If the generator is too weak or the machine is never quiet, more would be in vain.
    """
    return max(rounds // 2, 1)
