"""Users who were present and got nothing: a level with too many of them has failed.

Users who are served fast complete many scenarios each, so a share of scenarios hides others who
never complete one. Every user of a level is served (completed something), unserved (completed
nothing although a scenario or a log-on failed or exceeded its limit), or waits within the limits.
"""

from collections.abc import Sequence

from headcount.analyse.window import Window
from headcount.bundle.level import CriterionResult
from headcount.text import plural, span

ALLOWED = 0.01
"""Share of users who may go unserved. Our choice, as most rules allow 1% of errors."""
MANY = 10.0
"""Mean scenarios per served user from which a user with none is no accident: of a Poisson process
with this mean, 1 in 20,000 has none."""
ALLOWED_OF_FEW = 0.05
"""The share if users complete fewer: one may have none by chance, or be slow at the end."""


def allowed_share(completed: int, served: int, criteria: Sequence[CriterionResult]) -> float:
    """The share of users who may go unserved.

    If users complete few scenarios, one failed or slow scenario can leave a user unserved, and the
    criteria allow a share of those.

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
