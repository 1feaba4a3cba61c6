"""How charts and tables describe a level, and the scale that charts against users share."""

from collections.abc import Sequence

from headcount.analyse.time_text import time_text
from headcount.bundle.level import LevelResult
from headcount.report.answer_sentences import PURPOSE
from headcount.report.chart.scale import Linear
from headcount.report.figures.figure_types import Run
from headcount.report.resources import CPU
from headcount.report.selection import counter_mean
from headcount.text import plural, share, significant

OFFERED_SHOWN_FROM = 0.02
"""The offered rate is shown if it exceeds the achieved one by more than this share; below, the two
lines would coincide."""


def is_behind(level: LevelResult) -> bool:
    """Whether noticeably less was done than fell due."""
    return level.offered_per_s > level.achieved_per_s * (1 + OFFERED_SHOWN_FROM)


def valid(levels: Sequence[LevelResult]) -> list[LevelResult]:
    """Return the levels that lines run through: an invalid one shows nothing about the server."""
    return [level for level in levels if level.outcome != "invalid"]


def most_users(run: Run) -> float:
    """Return the end of a scale of users: a little over the most, with room for the capacity."""
    capacity = run.verdict.capacity if run.verdict is not None else None
    most: list[float] = [level.users for level in run.levels]
    if capacity is not None:
        most += [users for users in (capacity.users, capacity.estimate) if users is not None]
    # A single place should not be at the edge.
    beyond = 1.04 if len(set(most)) > 1 else 1.5
    return max([1.0, *most]) * beyond


def users_scale(run: Run, start: float, end: float) -> Linear:
    """Return the scale of users, from none to a little over the most."""
    return Linear(0, most_users(run), start, end)


def marks(levels: Sequence[LevelResult]) -> str:
    """The legend of the marks that occur."""
    outcomes = {level.outcome for level in levels}
    texts = {
        "passed": "\N{BLACK CIRCLE} passed",
        "failed": "\N{WHITE CIRCLE} failed",
        "invalid": "\N{MULTIPLICATION SIGN} invalid, not in the line",
    }
    named = ", ".join(text for outcome, text in texts.items() if outcome in outcomes)
    each = "Each mark is one level"
    return f"{each}: {named}. Lines run through the medians of neighbouring levels."


def level_text(level: LevelResult) -> str:
    """The figures of a level in a few lines, for a tooltip."""
    response = level.total.response
    times = (
        f"p50 {time_text(response, 'p50_ms')}, p95 {time_text(response, 'p95_ms')}, "
        f"p99 {time_text(response, 'p99_ms')}"
        if response
        else "nothing completed"
    )
    rate = (
        f"{significant(level.achieved_per_s)} scenarios/s, overload {share(level.total.overload)}"
    )
    return (
        f"{plural('user', level.users)}, {PURPOSE[level.purpose]}: {level.outcome}\n"
        f"{rate}\n{times}\nserver CPU {share(counter_mean(level, CPU))}"
    )
