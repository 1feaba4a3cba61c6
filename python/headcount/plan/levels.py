"""Levels: one number of users, a ladder of them, or the search for the capacity."""

import re

from headcount.errors import InputError
from headcount.fields.units import MOST_USERS, count

FORM = "1,4,8,12 or 10..200/10"
_RUNGS = 10
"""Most levels of a ladder that is suggested."""


def parse_ladder(text: str) -> list[int]:
    """Read a ladder: `1,4,8,12`, or `10..200/10` (from, to, step), or both mixed.

    Spaces separate levels as commas do. Raises InputError with the nearest valid ladder.
    """
    levels: list[int] = []
    for part in re.split(r"\s*,\s*|\s+", text.strip()):
        span = re.fullmatch(r"(\d{1,9})\.\.(\d{1,9})/(\d{1,9})", part)
        if span:
            first, last, step = (int(figure) for figure in span.groups())
            if step == 0 or last < first:
                raise InputError(f'"{part}" has no levels; write it like 10..200/10')
            if (last - first) // step >= 1000:
                raise InputError(f'"{part}" has more than 1,000 levels; use a larger step')
            levels.extend(range(first, last + 1, step))
        elif re.fullmatch(r"\d{1,9}", part):
            levels.append(int(part))
        elif re.fullmatch(r"\d{1,9}[kK]|\d{1,3}[eE]\d", part):
            levels.append(count(part, f'"{part}"'))
        else:
            raise InputError(f'"{text}" is not a ladder{_meant(part)}; write it like {FORM}')
    for users in levels:
        if not 1 <= users <= MOST_USERS:
            raise InputError(f"a level has {users} users; it must have from 1 to {MOST_USERS:,}")
    return levels


def _meant(part: str) -> str:
    """A range in another program's notation, as a ladder; empty for anything else."""
    span = re.fullmatch(r"(\d{1,9})(?:-|:|\.{2,3}|to)(\d{1,9})(?:[-:/](\d{1,9}))?", part)
    if span is None:
        return ""
    first, last = int(span[1]), int(span[2])
    if not 0 < first < last <= MOST_USERS:
        return ""
    step = int(span[3] or 0) or max((last - first) // (_RUNGS - 1), 1)
    return f'; did you mean "{first}..{last}/{step}"'
