"""What went wrong, and why: pure functions of the faults of levels.

``summary`` groups the faults of a level, ``causes`` recognises what a message means, ``ranking``
picks those that explain a run.
"""

from headcount.analyse.failures.causes import (
    cause_of,
    explained_message,
    is_full,
    turning_away,
)
from headcount.analyse.failures.ranking import explained, failures_of

__all__ = [
    "cause_of",
    "explained",
    "explained_message",
    "failures_of",
    "is_full",
    "turning_away",
]
