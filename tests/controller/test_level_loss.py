"""A level whose agents are lost before anything was measured."""

from types import SimpleNamespace
from typing import Any

from headcount.controller.level import LevelRunner


class Losing:
    """A session in which agents are lost again while the others start over."""

    def __init__(self, losses: int) -> None:
        self.losses = losses
        self.recovered = 0

    @property
    def loss(self) -> str | None:
        return f"agent {self.recovered + 1} was lost" if self.recovered < self.losses else None

    def recover(self) -> None:
        self.recovered += 1

    def hold(self, *phase: Any) -> Any:
        if self.loss is not None:
            return None
        phase[-1]("a second")
        return SimpleNamespace(last="its end", seconds=1.0)


def test_a_level_has_a_second_however_often_agents_are_lost() -> None:
    session: Any = Losing(3)
    runner = LevelRunner.__new__(LevelRunner)
    runner._session = session
    level = SimpleNamespace(seconds=SimpleNamespace(number=0))

    def add(_: str) -> None:
        level.seconds.number += 1

    level.add = add
    order: Any = SimpleNamespace(index=4)
    found: Any = level
    assert runner._recover(order, found) == "agent 1 was lost"
    assert (session.recovered, level.seconds.number) == (3, 1)
