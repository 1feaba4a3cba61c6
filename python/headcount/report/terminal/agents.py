"""The agents that played the users, in just enough columns and rows to show which are slow."""

from collections.abc import Sequence

from rich.console import Console, Group
from rich.text import Text

from headcount.bundle.agents import Fleet
from headcount.bundle.level import LevelResult
from headcount.report.agents import columns, rows
from headcount.report.terminal.glyphs import writable
from headcount.report.terminal.parts import tables

MOST_ROWS = 6
LEFT_OUT = frozenset({"CPUs", "Workers", "Clock error"})
"""Columns that only other reports have, as they say nothing about this level."""


def agents(
    played: Sequence[Fleet],
    levels: Sequence[LevelResult],
    level: LevelResult | None,
    console: Console,
) -> Group | None:
    """Make the table; None if one process played."""
    found = rows(played, levels, level, MOST_ROWS)
    if not found:
        return None
    alike = {"Machine"} if len({one.machine for one in found if not one.is_rest}) < 2 else set()
    filled = [one for one in columns(found) if one.heading not in LEFT_OUT | alike]
    left = frozenset(index for index, one in enumerate(filled) if one.text)
    cells = [[Text(writable(one.cell(each), console)) for one in filled] for each in found]
    return tables([one.heading for one in filled], cells, console, left)
