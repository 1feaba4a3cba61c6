"""The lines in the chart of the agents: one for each of a few, or the spread of many."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from headcount.analyse.agent_level import at_level, relative
from headcount.bundle.agents import Fleet
from headcount.bundle.level import LevelResult, counted
from headcount.report.agents import machines_of, rows
from headcount.report.selection import by_users
from headcount.text import clean

MOST_LINES = 6
"""Agents with a line each: as many as there are distinct colours. With more agents, the chart draws
the extremes, the median and the worst."""
STYLES = ("one", "two", "three", "four", "five", "six")

Values = Mapping[int, float]
"""Values of agents, by number."""


@dataclass(frozen=True, slots=True)
class At:
    """What the agents did at a level: `done` by their users, and `used` of a core."""

    level: LevelResult
    done: Values
    used: Values


@dataclass(frozen=True, slots=True)
class Line:
    """A line through both panels: an agent's, or one over all of them at each level."""

    name: str
    style: str
    of: Callable[[Values], float | None]
    square: bool = False
    marked: bool = True


def at_levels(levels: Sequence[LevelResult]) -> list[At]:
    """What several agents did at each level, from the fewest users up."""
    found = [_at(level) for level in by_users(counted(levels))]
    return [one for one in found if len(one.done) > 1]


def _at(level: LevelResult) -> At:
    agents = at_level(level.counters)
    used = {one.number: one.busiest for one in agents if one.busiest is not None}
    return At(level, relative(agents), used)


def numbers_of(found: Sequence[At]) -> list[int]:
    """The numbers of the agents, ascending."""
    return sorted({number for one in found for number in one.done})


def lines_of(
    levels: Sequence[LevelResult], played: Sequence[Fleet], found: Sequence[At]
) -> list[Line]:
    """A line for each of a few agents; for many, their spread, and the worst of them."""
    numbers = numbers_of(found)
    places = machines_of(played)
    alike = len(set(places.values())) < 2

    def name(which: int) -> str:
        machine = "" if alike or which not in places else f" ({clean(places[which])})"
        return f"agent {which}{machine}"

    if len(numbers) <= MOST_LINES:
        return [
            Line(name(one), style, _of(one), square=index % 2 == 1)
            for index, (one, style) in enumerate(zip(numbers, STYLES, strict=False))
        ]
    worst = rows(played, levels, found[-1].level, 1)[0].name
    return [
        Line("the highest of any agent", "users dashed", over(max), marked=False),
        Line("the lowest of any agent", "users dashed", over(min), marked=False),
        Line("the agent in the middle", "one", over(median)),
        Line(name(int(worst)), "two", _of(int(worst)), square=True),
    ]


def _of(which: int) -> Callable[[Values], float | None]:
    return lambda values: values.get(which)


def over(one: Callable[[Sequence[float]], float]) -> Callable[[Values], float | None]:
    """A function that combines the values of all agents of a level; None if none is known."""
    return lambda values: one(list(values.values())) if values else None
