"""Two runs side by side: what figures of a pair have in common."""

from collections.abc import Sequence
from dataclasses import dataclass

from headcount.bundle.level import LevelResult
from headcount.report.chart.scale import Linear
from headcount.report.figures.figure_types import Run
from headcount.report.figures.levels import most_users, valid

STYLES = ("one", "two")
"""The first is drawn in blue with round marks, the second in orange with squares."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: its name in legends, and its run."""

    name: str
    run: Run


def users_scale(sides: Sequence[Side], start: float, end: float) -> Linear:
    """The scale of users that both share."""
    return Linear(0, max(most_users(side.run) for side in sides), start, end)


def common(first: Side, second: Side) -> list[tuple[LevelResult, LevelResult]]:
    """The levels with as many users on both sides, from the fewest up; of several the last."""
    others = {level.users: level for level in valid(second.run.levels)}
    mine = {level.users: level for level in valid(first.run.levels)}
    return [(mine[users], others[users]) for users in sorted(mine.keys() & others.keys())]
