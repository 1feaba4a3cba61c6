"""Levels: one number of users, a ladder of them, or the search for the capacity."""

import re

from headcount.errors import InputError

MOST_USERS = 1_000_000
"""More than any server of the published results holds, and far from the engine's own bounds."""


def parse_ladder(text: str) -> list[int]:
    """Read a ladder: `1,4,8,12`, or `10..200/10` (from, to, step), or both mixed."""
    levels: list[int] = []
    for part in text.replace(" ", "").split(","):
        span = re.fullmatch(r"(\d+)\.\.(\d+)/(\d+)", part)
        if span:
            first, last, step = (int(figure) for figure in span.groups())
            if step == 0 or last < first:
                raise InputError(f'"{part}" goes nowhere; write it like 10..200/10')
            if (last - first) // step >= 1000:
                raise InputError(f'"{part}" has over 1000 levels; use a larger step')
            levels.extend(range(first, last + 1, step))
        elif re.fullmatch(r"\d+", part):
            levels.append(int(part))
        else:
            raise InputError(f'"{text}" is no ladder; write it like 1,4,8,12 or 10..200/10')
    for users in levels:
        if not 1 <= users <= MOST_USERS:
            raise InputError(f"a level of {users} users: it must be from 1 to {MOST_USERS:,}")
    return levels
