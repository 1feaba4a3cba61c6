"""The figures of a level by line, in words that all reports share."""

from collections.abc import Callable
from dataclasses import dataclass

from headcount.analyse.time_text import time_text
from headcount.bundle.level import LevelResult, LineResult
from headcount.text import count, plural, share, significant

TITLE = "Where users are"
NOTE = (
    "Response times of completed scenarios, from the moment each was due to its end. others: users "
    "without a line of their own. Errors: failed, of those that ended. Scenarios that were still "
    "unanswered at the end are not in this table; criteria judge them with all users."
)


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of each line: its name and its format."""

    heading: str
    cell: Callable[[LineResult], str]


FIGURES = (
    Figure("Users", lambda line: count(line.users)),
    Figure("Per second", lambda line: significant(line.rate_per_s)),
    Figure("p50", lambda line: time_text(line.response, "p50_ms")),
    Figure("p95", lambda line: time_text(line.response, "p95_ms")),
    Figure("Errors", lambda line: share(_of_ended(line, line.failed))),
    Figure("Overload", lambda line: share(_of_ended(line, line.overloaded))),
)


def title(level: LevelResult) -> str:
    """Give the title of a level's table."""
    return f"{TITLE}, at {plural('user', level.users)}"


def _of_ended(line: LineResult, number: int) -> float | None:
    ended = line.completed + line.failed
    return number / ended if ended else None
