"""What the interactive charts against users have in common: series, the capacity, its interval."""

from collections.abc import Callable, Sequence
from typing import Literal

from headcount.bundle.level import LevelResult
from headcount.report.chart.figure import WIDE
from headcount.report.chart.line import knots
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear
from headcount.report.figures.about import users_scale, valid
from headcount.report.figures.plot import Band, Rule, Series
from headcount.report.figures.record import Run
from headcount.text import count


def of(
    run: Run,
    name: str,
    style: str,
    value: Callable[[LevelResult], float | None],
    side: Literal["left", "right"] = "left",
) -> list[Series]:
    """Return the marks of the levels, and the line through the medians of those close together.

    The line is the one that is drawn, so that the chart on the screen and the one on paper agree.
    """
    marked = sorted(
        (float(level.users), measured)
        for level in valid(run.levels)
        if (measured := value(level)) is not None
    )
    scale = users_scale(run, WIDE.left, WIDE.width - WIDE.right)
    panel = Panel(WIDE.left, 0, WIDE.width - WIDE.right, 1, scale, Linear(0, 1, 1, 0))
    through = knots(panel, list(marked))
    line = [Series(f"{name} (line)", style, through, side)] if len(through) > 1 else []
    return [*line, Series(name, style, marked, side, "marks")]


def capacity(run: Run) -> Sequence[Rule]:
    """The capacity as a rule, if there is one."""
    found = run.verdict.capacity if run.verdict is not None else None
    if found is None:
        return ()
    users = found.users if found.users is not None else found.estimate
    if users is None:
        return ()
    word = "at least" if found.at_least else "capacity" if found.users is not None else "estimate"
    return (Rule(f"{word} {count(users)} users", "capacity", float(users), upright=True),)


def interval(run: Run) -> Sequence[Band]:
    """Its 95 % interval, where it has one."""
    found = run.verdict.capacity if run.verdict is not None else None
    if found is None or found.low is None or found.at_least:
        return ()
    return (Band("capacity", found.low, found.high),)
