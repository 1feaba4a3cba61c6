"""The text that sar and mpstat print, as columns.

Sections follow each other, each with a line of column names, and rows that begin with a time. sar
prints a section for all samples, or all sections of a sample, one after another.
"""

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.counters.columns import Column
from headcount.counters.log.stack import Stack
from headcount.counters.log.sysstat.figures import figures
from headcount.counters.log.sysstat.sections import FIELDS, IDENTITIES, MARKS

_HEADER = re.compile(r"(?P<system>\w+) \S+ \((?P<host>.*)\)\s+(?P<date>[\d./-]+)(?P<rest>\s.*)?")
"""The first line, and that of each file of several."""
_CPUS = re.compile(r"\((\d+) CPU\)")
_CLOCK = re.compile(r"(\d\d):(\d\d):(\d\d)(?:\s+([AaPp][Mm]))?\s+(.*)")
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")
_HALF_DAY_S = 43_200


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


@dataclass
class Block:
    """The rows of a section that are about the same thing, such as one disk."""

    section: Section
    about: str | None
    times_s: "array[float]" = field(default_factory=lambda: array("d"))
    values: "array[float]" = field(default_factory=lambda: array("d"))

    def rows(self, times_s: Column) -> NDArray[np.intp]:
        """Its row at each of these times; -1 where it has none."""
        found = np.full(len(times_s), -1, dtype=np.intp)
        found[np.searchsorted(times_s, self.times_s)] = np.arange(len(self.times_s))
        return found

    def put(self, sample: dict[str, Any], rows: NDArray[np.intp]) -> None:
        """Put some of its rows into a stacked sample, where sadf has them."""
        numbers = self.section.numbers
        values = np.frombuffer(self.values).reshape(len(self.times_s), len(numbers))
        for path in self.section.paths:
            part = {
                name: values[rows, at] for at, (_, of, name) in enumerate(numbers) if of == path
            }
            section, _, inner = path.partition("/")
            place = sample.setdefault(section, {}) if inner else sample
            if (at := self.section.identity) is None:
                place.setdefault(inner or section, {}).update(part)
            else:
                key = FIELDS[path][self.section.columns[at]]
                place.setdefault(inner or section, []).append({key: self.about, **part})


@dataclass
class Host:
    """What a machine's text has.

    Attributes:
        about: As sadf has it: name, system, CPUs, comments and restarts.
        unknown: The first columns of sections that are not read.

    """

    about: dict[str, Any]
    blocks: dict[tuple[Section, str | None], Block] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)

    @property
    def has_system(self) -> bool:
        """Whether system time includes interrupts."""
        return any("%system" in section.columns for section, _ in self.blocks)

    def columns(self) -> Stack[str]:
        """The counters at all times."""
        found: Stack[str] = Stack()
        if not self.blocks:
            return found
        blocks = [*self.blocks.values()]
        times_s = np.unique(np.concatenate([np.frombuffer(block.times_s) for block in blocks]))
        found.begin(times_s)
        rows = np.stack([block.rows(times_s) for block in blocks])
        for places in _alike(rows >= 0):
            sample: dict[str, Any] = {}
            for block, its in zip(blocks, rows[:, places], strict=True):
                if its[0] >= 0:
                    block.put(sample, its)
            found.put(places, figures(sample))
        return found


def _alike(there: NDArray[np.bool_]) -> Iterator[NDArray[np.intp]]:
    """The times that have the same blocks, in groups."""
    kinds, kind_of = np.unique(there, axis=1, return_inverse=True)
    for kind in range(kinds.shape[1]):
        yield np.flatnonzero(kind_of.ravel() == kind)


def hosts(lines: Iterable[str]) -> list[Host]:
    """The machines of a text.

    Raises:
        ValueError: A line cannot be read; the message has its number.

    """
    found: dict[str, Host] = {}
    reading: _Reading | None = None
    for number, line in enumerate(lines, 1):
        try:
            if (header := _HEADER.fullmatch(line.strip())) is not None:
                host = found.setdefault(header["host"], Host(_about(header)))
                reading = _Reading(host, _day(header["date"]))
            elif reading is not None:
                reading.take(line)
        except ValueError as error:
            if not line.endswith("\n"):
                break  # the last line, cut off
            raise ValueError(f"line {number}: {error}") from error
    return list(found.values())


class _Reading:
    """The lines after a header."""

    def __init__(self, host: Host, day: datetime) -> None:
        self._host = host
        self._day = day
        self._section: Section | None = None
        self._last: dict[Section | None, tuple[int, int]] = {}
        """The last time of each section: days since the header's, and seconds of the day."""

    def take(self, line: str) -> None:
        """Take in a line; one without a time, such as that of averages, says nothing."""
        row = _CLOCK.fullmatch(line.strip())
        if row is None:
            return
        words = row[5].split()
        if "RESTART" in words[:2] or words[:1] == ["COM"]:
            self._mark(words, self._time(_of_day_s(row)))
        elif not any(map(_NUMBER.fullmatch, words)):
            self._section = _section(words)
            if not self._section.paths:
                self._host.unknown[" ".join(words[:2])] = None
        elif self._section is not None and self._section.paths:
            self._row(self._section, words, self._time(_of_day_s(row)))

    def _row(self, section: Section, words: list[str], time: datetime) -> None:
        if len(words) != len(section.columns):
            raise ValueError(f"a row has {len(words)} values for {len(section.columns)} columns")
        about = words[section.identity] if section.identity is not None else None
        if section.paths == ("interrupts",) and about != "sum":
            return
        values = [_value(words[at]) for at, _, _ in section.numbers]
        block = self._host.blocks.setdefault((section, about), Block(section, about))
        block.times_s.append(time.timestamp())
        block.values.extend(values)

    def _mark(self, words: list[str], time: datetime) -> None:
        """Take in a restart or a comment, which each section repeats."""
        stamp = {"date": f"{time:%Y-%m-%d}", "time": f"{time:%H:%M:%S}", "utc": 0}
        is_comment = words[0] == "COM"
        marks = self._host.about["comments" if is_comment else "restarts"]
        mark = {"comment": {**stamp, "com": " ".join(words[1:])}} if is_comment else {"boot": stamp}
        if mark not in marks:
            marks.append(mark)

    def _time(self, of_day_s: int) -> datetime:
        """The time, read as UTC; after midnight, the times of a section begin again."""
        days, before_s = self._last.get(self._section, (0, of_day_s))
        days += before_s - of_day_s > _HALF_DAY_S
        self._last[self._section] = days, of_day_s
        return self._day + timedelta(days, of_day_s)


def _section(words: list[str]) -> Section:
    """The section with these columns."""
    paths: Mapping[str, tuple[str, ...]] = dict(MARKS)
    return Section(tuple(words), next((paths[mark] for mark in paths if mark in words), ()))


def _value(text: str) -> float:
    if _NUMBER.fullmatch(text) is None and text.lower() != "nan":
        raise ValueError(f'"{text}" is not a number; print it without -h or --human')
    return float(text.replace(",", "."))


def _of_day_s(row: re.Match[str]) -> int:
    hours, minutes, seconds = int(row[1]), int(row[2]), int(row[3])
    if row[4]:
        hours = hours % 12 + 12 * (row[4].lower() == "pm")
    if hours > 23 or minutes > 59 or seconds > 60:
        raise ValueError(f"{row[1]}:{row[2]}:{row[3]} is no time of a day")
    return hours * 3600 + minutes * 60 + min(seconds, 59)


def _about(header: re.Match[str]) -> dict[str, Any]:
    cpus = _CPUS.search(header["rest"] or "")
    return {
        "sysname": header["system"],
        "nodename": header["host"],
        "number-of-cpus": int(cpus[1]) if cpus else None,
        "comments": [],
        "restarts": [],
    }


def _day(text: str) -> datetime:
    """The date of a header, in the order of the locale that wrote it."""
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
