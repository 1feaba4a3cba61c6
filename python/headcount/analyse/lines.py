"""What the users on each line got at a level: their number, throughput, times and errors."""

from headcount._engine import Histogram, users_by_line
from headcount.analyse.times import times_of
from headcount.analyse.window import Window
from headcount.bundle.level import LineResult
from headcount.plan.plan import Plan


def line_results(plan: Plan, window: Window, users: int) -> list[LineResult]:
    """The figures of each line over a level with this many users; lines without users are left out.

    Times are those of completed scenarios; `own_delay` is not known for lines.
    """
    if not plan.lines:
        return []
    numbers = users_by_line(users, plan.line_shares)
    results = [
        _result(name, window, place, numbers[place]) for place, name in enumerate(plan.line_names)
    ]
    return [one for one in results if one.users]


def _result(name: str, window: Window, place: int, users: int) -> LineResult:
    counts = [interval.lines[place] for interval in window.sums]
    completed = sum(one.completed for one in counts)
    failed = sum(one.failed for one in counts)
    return LineResult(
        name=name,
        users=users,
        started=sum(one.started for one in counts),
        completed=completed,
        failed=failed,
        overloaded=sum(one.overloaded for one in counts),
        rate_per_s=completed / max(window.seconds, 1e-9),
        response=times_of(Histogram.merge([one.response for one in counts])),
    )
