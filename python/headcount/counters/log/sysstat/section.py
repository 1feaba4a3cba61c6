"""A section of what sysstat's programs print: its columns, and how values and times are written."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from headcount.counters.log.sysstat.printed_columns import FIELDS, IDENTITIES, MARKS

NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")


@dataclass(frozen=True)
class Section:
    """A section whose rows follow.

    Attributes:
        columns: Their names.
        paths: What they are in sadf; none if the section is not read.

    """

    columns: tuple[str, ...]
    paths: tuple[str, ...]

    @cached_property
    def identity(self) -> int | None:
        """The place of the column that says what a row is about; None in a section of one row."""
        return next((at for at, name in enumerate(self.columns) if name in IDENTITIES), None)

    @cached_property
    def numbers(self) -> list[tuple[int, str, str]]:
        """The columns that are read: their place, path and field."""
        return [
            (at, path, FIELDS[path][name])
            for path in self.paths
            for at, name in enumerate(self.columns)
            if name in FIELDS[path] and name not in IDENTITIES
        ]


def section_of(words: list[str]) -> Section:
    """The section with these columns."""
    paths = next((paths for mark, paths in MARKS.items() if mark in words), ())
    found = Section(tuple(words), paths)
    return found if found.numbers else Section(tuple(words), ())


def number(text: str) -> float:
    """A value; raises ValueError if it is none."""
    if NUMBER.fullmatch(text) is None and text.lower() != "nan":
        raise ValueError(f'"{text}" is not a number; print it without -h or --human')
    return float(text.replace(",", "."))


def of_day_s(hours: str, minutes: str, seconds: str, half: str | None) -> int:
    """A time of the day in seconds; `half` is AM or PM. Raises ValueError if it is none."""
    hour, minute, second = int(hours), int(minutes), int(seconds)
    if half:
        hour = hour % 12 + 12 * (half.lower() == "pm")
    if hour > 23 or minute > 59 or second > 60:
        raise ValueError(f"{hours}:{minutes}:{seconds} is no time of a day")
    return hour * 3600 + minute * 60 + min(second, 59)


def date_of(text: str) -> datetime:
    """A date, in the order of the language that wrote it; raises ValueError if it is none."""
    parts = [int(part) for part in re.split(r"[./-]", text) if part]
    if len(parts) != 3:
        raise ValueError(f'"{text}" is no date')
    if parts[0] > 31:
        year, month, day = parts
    elif "." in text or parts[0] > 12:
        day, month, year = parts
    else:
        month, day, year = parts
    return datetime(year + 2000 if year < 100 else year, month, day, tzinfo=UTC)
