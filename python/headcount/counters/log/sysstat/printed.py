"""The text that sar, mpstat and iostat print, as columns.

Sections follow each other, each with a line of column names, and rows that begin with a time. sar
prints a section for all samples, or all sections of a sample, one after another.
"""

import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.counters.columns import Column, check_cells
from headcount.counters.log.stack import Stack
from headcount.counters.log.sysstat.figures import figures
from headcount.counters.log.sysstat.printed_columns import FIELDS
from headcount.counters.log.sysstat.reports import Reports
from headcount.counters.log.sysstat.section import (
    NUMBER,
    Section,
    date_of,
    number,
    of_day_s,
    section_of,
)

_HEADER = re.compile(r"(?P<system>\w+) \S+ \((?P<host>.*)\)\s+(?P<date>[\d./-]+)(?P<rest>\s.*)?")
"""The first line, and that of each file of several."""
_CPUS = re.compile(r"\((\d+) CPU\)")
_CLOCK = re.compile(r"(\d\d):(\d\d):(\d\d)(?:\s+([AaPp][Mm]))?\s+(.*)")
_HALF_DAY_S = 43_200


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
        has_zone: Whether times are UTC, and not local ones of an unknown zone.

    """

    about: dict[str, Any]
    has_zone: bool = False
    blocks: dict[tuple[Section, str | None], Block] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)

    def add(self, section: Section, about: str | None, time: datetime, values: list[float]) -> None:
        """Add a row."""
        block = self.blocks.setdefault((section, about), Block(section, about))
        block.times_s.append(time.timestamp())
        block.values.extend(values)

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
        times = np.concatenate([np.frombuffer(block.times_s) for block in blocks])
        times_s = np.unique(times)
        check_cells(len(times_s), len(blocks), len(times))
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
    for place, line in enumerate(lines, 1):
        try:
            if (header := _HEADER.fullmatch(line.strip())) is not None:
                host = found.setdefault(header["host"], Host(_about(header)))
                reading = _Reading(host, date_of(header["date"]))
            elif reading is not None:
                reading.take(line)
        except ValueError as error:
            if not line.endswith("\n"):
                break  # the last line, cut off
            raise ValueError(f"line {place}: {error}") from error
    return list(found.values())


class _Reading:
    """The lines after a header."""

    def __init__(self, host: Host, day: datetime) -> None:
        self._host = host
        self._day = day
        self._section: Section | None = None
        self._reports = Reports()
        self._last: dict[Section | None, tuple[int, int]] = {}
        """The last time of each section: days since the header's, and seconds of the day."""

    def take(self, line: str) -> None:
        """Take in a line. Those of sar and mpstat begin with a time, except the averages."""
        row = _CLOCK.fullmatch(line.strip())
        if row is None:
            if (reported := self._reports.row(line)) is not None:
                self._host.add(*reported)
                self._host.has_zone |= self._reports.has_zone
            return
        words = row[5].split()
        if "RESTART" in words[:2] or words[:1] == ["COM"]:
            self._mark(words, self._time(of_day_s(*row.group(1, 2, 3, 4))))
        elif not any(map(NUMBER.fullmatch, words)):
            self._section = section_of(words)
            if not self._section.paths:
                self._host.unknown[" ".join(words[:2])] = None
        elif self._section is not None and self._section.paths:
            self._row(self._section, words, self._time(of_day_s(*row.group(1, 2, 3, 4))))

    def _row(self, section: Section, words: list[str], time: datetime) -> None:
        if len(words) != len(section.columns):
            raise ValueError(f"a row has {len(words)} values for {len(section.columns)} columns")
        about = words[section.identity] if section.identity is not None else None
        if section.paths == ("interrupts",) and about != "sum":
            return
        values = [number(words[at]) for at, _, _ in section.numbers]
        self._host.add(section, about, time, values)

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


def _about(header: re.Match[str]) -> dict[str, Any]:
    cpus = _CPUS.search(header["rest"] or "")
    return {
        "sysname": header["system"],
        "nodename": header["host"],
        "number-of-cpus": int(cpus[1]) if cpus else None,
        "comments": [],
        "restarts": [],
    }
