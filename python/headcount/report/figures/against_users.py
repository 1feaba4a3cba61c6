"""What the interactive charts against users have in common: series, the capacity, its interval."""

from collections.abc import Callable, Sequence
from typing import Literal

from headcount.bundle.level import LevelResult
from headcount.report.chart.band import capacity_label
from headcount.report.chart.figure import WIDE
from headcount.report.chart.line import knots
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear
from headcount.report.figures.figure_types import Run
from headcount.report.figures.levels import users_scale, valid
from headcount.report.figures.plot import Band, Rule, Series
from headcount.report.selection import by_users


def level_series(
    run: Run,
    name: str,
    style: str,
    value: Callable[[LevelResult], float | None],
    side: Literal["left", "right"] = "left",
    *,
    square: bool = False,
) -> list[Series]:
    """Return the marks of the levels, and the line through them."""
    measured = [
        (float(level.users), figure, level.outcome)
        for level in by_users(run.levels)
        if (figure := value(level)) is not None
    ]
    marked = [(users, figure) for users, figure, _ in measured]
    outcomes = "".join(outcome[0] for _, _, outcome in measured)
    through = level_line(run, value)
    joined = [Series(f"{name} (line)", style, through, side)] if len(through) > 1 else []
    marks = Series(name, style, marked, side, "marks", outcomes=outcomes, square=square)
    return [*joined, marks]


def level_line(
    run: Run, value: Callable[[LevelResult], float | None]
) -> Sequence[tuple[float, float]]:
    """Return the medians of levels close together.

    The drawing has the same, so that the charts on screen and on paper agree.
    """
    right = WIDE.width - WIDE.right
    scale = users_scale(run, WIDE.left, right)
    panel = Panel(WIDE.left, 0, right, 1, scale, Linear(0, 1, 1, 0))
    return knots(panel, [(level.users, value(level)) for level in valid(run.levels)])


def capacity_rules(run: Run) -> Sequence[Rule]:
    """A rule at the capacity, if there is one."""
    found = run.verdict.capacity if run.verdict is not None else None
    if found is None:
        return ()
    users = found.users if found.users is not None else found.estimate
    if users is None:
        return ()
    return (Rule(capacity_label(found), "capacity", float(users), upright=True),)


def capacity_bands(run: Run) -> Sequence[Band]:
    """The 95% interval of the capacity, if it has one."""
    found = run.verdict.capacity if run.verdict is not None else None
    if found is None or found.low is None or found.at_least:
        return ()
    return (Band("capacity", found.low, found.high),)
