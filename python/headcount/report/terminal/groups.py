"""The table of groups of scenarios, level by level, as wide as the console allows."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from headcount.bundle.level import LevelResult
from headcount.report.groups import REPORTED, figures
from headcount.report.terminal.table import Column, fitted
from headcount.text import count

_GOES = {"Ratio": 1, "Scenarios/s": 2, "From the server": 3, "MB/s": 4, REPORTED: 5}
"""Where there is no room, what the table of levels shows as well goes soon, and means last."""


def groups(levels: Sequence[LevelResult], console: Console) -> Table | None:
    """Make the table; None of a workload without groups."""
    found = figures(levels)
    if not found:
        return None
    users = Column("Users", lambda level: count(level.users), 0)
    # Of the groups the last go first.
    columns = [
        Column(each.heading, each.cell, _GOES.get(each.heading, len(_GOES) + len(found) - index))
        for index, each in enumerate(found)
    ]
    return fitted([users, *columns], levels, console)
