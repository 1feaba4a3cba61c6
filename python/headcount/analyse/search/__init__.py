"""The search for the capacity: which level to run next, and what the levels so far say.

An object that knows nothing of engines or clocks: ask :class:`Search` for the next level, run it by
any means, hand back what was observed, and read the outcome at any time.

    search = Search(Settings())
    while (request := search.next()) is not None:
        search.observe(run(request))
    outcome = search.outcome()
"""

from headcount.analyse.search.early import Verdict, wide_rule
from headcount.analyse.search.observation import (
    ConstraintResult,
    Observation,
    Purpose,
    Request,
    Share,
    Value,
)
from headcount.analyse.search.outcome import Flag, Outcome
from headcount.analyse.search.progress import Progress
from headcount.analyse.search.search import Search
from headcount.analyse.search.settings import Overhead, Settings

__all__ = [
    "ConstraintResult",
    "Flag",
    "Observation",
    "Outcome",
    "Overhead",
    "Progress",
    "Purpose",
    "Request",
    "Search",
    "Settings",
    "Share",
    "Value",
    "Verdict",
    "wide_rule",
]
