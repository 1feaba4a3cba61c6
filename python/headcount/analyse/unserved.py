"""Users who were there and got nothing: a level with too many of them has failed.

Those who are served fast complete many scenarios each, so a share of scenarios hides others who
never get one. Every user of a level is served (completed something), unserved (completed nothing
although a scenario or a log-on failed or exceeded its limit), or waits within the limits.
"""

from collections.abc import Sequence

from headcount.analyse.window import Window
from headcount.bundle.level import CriterionResult
from headcount.text import plural, span

ALLOWED = 0.01
"""Share of users who may go unserved. Ours, as most rules allow 1% of errors."""
MANY = 10.0
"""Scenarios a served user completes, from which a user without any is no accident: of a Poisson
process with this mean, 1 in 20,000 has none."""
ALLOWED_OF_FEW = 0.05
"""The share where users complete fewer: one is without any by chance, and slow at the end."""


def allowed_share(completed: int, served: int, criteria: Sequence[CriterionResult]) -> float:
    """The share of users who may go unserved.

    Where users complete few scenarios, an unserved user can be one failed or slow scenario, and
    the criteria allow a share of those.

    Args:
        completed: Scenarios of the level that were completed.
        served: Users who completed any.
        criteria: The level's criteria.

    """
    if served and completed < MANY * served:
        shares = [result.allowed_share or 0.0 for result in criteria]
        return max([ALLOWED_OF_FEW, *shares])
    return ALLOWED


def reasons(window: Window, users: int, criteria: Sequence[CriterionResult]) -> list[str]:
    """Why the level failed, if too many users were not served."""
    number = window.unserved_users
    allowed = allowed_share(window.pool().completed, window.active_users, criteria)
    if number <= allowed * users:
        return []
    return [
        (
            f"{number:,} of {plural('user', users)} completed nothing in {span(window.seconds)}: "
            "their requests failed or exceeded the limit"
        )
    ]
