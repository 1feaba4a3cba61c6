"""Code that figures of two runs share."""

from collections.abc import Sequence
from dataclasses import dataclass

from headcount.bundle.level import LevelResult
from headcount.report.chart.scale import Linear
from headcount.report.figures.figure_types import Run
from headcount.report.figures.levels import most_users, valid

STYLES = ("one", "two")
"""Classes of the sides: the first is blue with round marks, the second orange with squares."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: its name in legends, and its run."""

    name: str
    run: Run


def users_scale(sides: Sequence[Side], start: float, end: float) -> Linear:
    """The scale of users that both share."""
    return Linear(0, max(most_users(side.run) for side in sides), start, end)


def common(first: Side, second: Side) -> list[tuple[LevelResult, LevelResult]]:
    """The levels with equal users on both sides, ascending; of repeated levels the last."""
    others = {level.users: level for level in valid(second.run.levels)}
    mine = {level.users: level for level in valid(first.run.levels)}
    return [(mine[users], others[users]) for users in sorted(mine.keys() & others.keys())]
