"""The table of groups of scenarios, level by level."""

from collections.abc import Sequence

from rich.console import Console, Group

from headcount.bundle.level import LevelResult
from headcount.report.groups import figures
from headcount.report.terminal.table import Column, fitted
from headcount.text import count


def groups(levels: Sequence[LevelResult], console: Console) -> Group | None:
    """Make the table; None for a workload without groups."""
    found = figures(levels)
    if not found:
        return None
    users = Column("Users", lambda level: count(level.users))
    columns = [Column(each.heading, each.cell) for each in found]
    return fitted([users, *columns], levels, console)
