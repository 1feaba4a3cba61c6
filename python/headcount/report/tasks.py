"""Tasks of a level, its score and its marks, in words and figures that all reports share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.analyse.time_text import time_text
from headcount.bundle.level import LevelResult, TaskResult
from headcount.bundle.verdict import Marks, Score
from headcount.text import DASH, count, duration, interval, plural, significant

NOTE = (
    "Things timed inside steps, from start to end; only those completed. SD: standard deviation. "
    "Below p95: its 95% confidence interval."
)
WEIGHED = " Weight: in the score."

MOST_NAMED = 6
"""Most names in a sentence; the workload lists all."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of each task: its name and its format."""

    heading: str
    cell: Callable[[TaskResult], str]


def figures(level: LevelResult) -> list[Figure]:
    """Return the figures of the level's tasks; weights only if there is a score."""
    found = [
        Figure("Count", lambda task: count(task.completed)),
        Figure("A minute", lambda task: significant(task.per_minute)),
        Figure("Failed", lambda task: count(task.failed)),
        Figure("Mean", lambda task: duration(task.mean_ms)),
        Figure("SD", lambda task: duration(task.sd_ms)),
        Figure("p50", lambda task: time_text(task.service, "p50_ms")),
        Figure("p95", lambda task: time_text(task.service, "p95_ms")),
        Figure("p99", lambda task: time_text(task.service, "p99_ms")),
    ]
    if level.score is not None:
        weights = level.score.weights
        found.append(
            Figure(
                "Weight",
                lambda task: f"{weights[task.name]:g}" if task.name in weights else DASH,
            )
        )
    return found


def missing_tasks(level: LevelResult) -> str | None:
    """Name the tasks that have a weight in the score but did not run; None if all did."""
    if level.score is None or not level.score.missing:
        return None
    return f"Not in the score, because they did not happen: {', '.join(level.score.missing)}."


def score_text(score: Score) -> str:
    """A score with its meaning, in one line."""
    text = f"{score.name}: {significant(score.value)} {score.unit} ({score.formula})"
    if score.interval is not None:
        text += f"; 95% confidence interval {interval(*score.interval, duration)}"
    if score.zero_level is not None:
        text += f", zero because of the level at {plural('user', score.zero_level)}"
    return text


def marks_value(marks: Marks) -> str:
    """The number of marks: `3,412 marks a minute`."""
    return f"{significant(marks.per_minute)} marks a minute"


def marks_text(marks: Marks) -> str:
    """A sentence on what marks are, and how sure their number is."""
    kinds = len(marks.count)
    what = ", ".join(marks.count) if kinds <= MOST_NAMED else f"scenarios of {kinds} kinds"
    text = f"{marks.name}: completed {what} at {plural('user', marks.users)}"
    if marks.interval_per_minute is not None:
        low, high = marks.interval_per_minute
        text += f"; 95% confidence interval {significant(low)} to {significant(high)}"
    return text


def has_figures(levels: Sequence[LevelResult]) -> bool:
    """Whether any level has a score or marks."""
    return any(level.score is not None or level.marks is not None for level in levels)
