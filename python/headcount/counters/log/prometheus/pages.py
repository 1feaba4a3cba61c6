"""Pages of an exporter, one after the other, each below a line with its time."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from headcount.counters.log.prometheus.series import Machine, Series
from headcount.counters.prometheus import exposition, values
from headcount.counters.prometheus.exposition import Page
from headcount.counters.prometheus.mapping import exporter_of
from headcount.errors import InputError

MARK = "# headcount page "
_TOGETHER = 1024
"""Pages with the same lines that become columns at a time."""


def page_machines(lines: Iterable[str]) -> tuple[list[Machine] | None, int]:
    """The machines (None if no line has a time), and the number of unreadable pages."""
    reading = _Reading()
    marked = False
    for moment, body in _pages(lines):
        marked = True
        reading.take(moment, body)
    reading.close()
    return (list(reading.machines.values()) if marked else None), reading.torn


def _pages(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """The time of each page, as its mark has it, and its lines."""
    moment: str | None = None
    body: list[str] = []
    for line in lines:
        if line.startswith(MARK):
            if moment is not None:
                yield moment, body
            moment, body = line[len(MARK) :], []
        else:
            body.append(line)
    if moment is not None:
        yield moment, body


@dataclass
class _Reading:
    """Pages so far; consecutive ones with the same lines are collected into columns."""

    machines: dict[str, Machine] = field(default_factory=dict)
    torn: int = 0
    name: str = ""
    keys: list[str] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    machine: Machine | None = None
    times_s: list[float] = field(default_factory=list)
    numbers: list[list[float]] = field(default_factory=list)

    def take(self, moment: str, body: list[str]) -> None:
        """Take in a page; counts one that cannot be read."""
        try:
            keys, numbers = _split(body)
            at_s = float(moment)
        except ValueError:
            self._take_odd(moment, body)
            return
        if keys != self.keys:
            self.close()
            if not self._begin(keys):
                self._take_odd(moment, body)
                return
        if self.machine is not None:
            self.times_s.append(at_s)
            self.numbers.append(numbers)
            if len(self.times_s) == _TOGETHER:
                self._stack()

    def close(self) -> None:
        """Turn the collected pages into columns; the lines of the next page may differ."""
        self._stack()
        self.keys, self.series, self.machine = [], [], None

    def _begin(self, keys: list[str]) -> bool:
        """Parse the keys of a page's lines; returns False if the page needs the slow path."""
        try:
            page = exposition.parse("".join(f"{key} 1\n" for key in keys))
            each = [exposition.parse(f"{key} 1\n") for key in keys]
        except InputError:
            return False
        series = [(metric, labels) for one in each for metric in one for labels in one[metric]]
        if len(series) != len(keys) or len(set(series)) != len(keys):
            return False
        self.keys, self.series = keys, series
        self.machine = self._machine(page)
        return True

    def _machine(self, page: Page) -> Machine | None:
        exporter = exporter_of(page)
        if exporter is None:
            return None
        self.name = values.host(exporter, page) or self.name
        return self.machines.setdefault(self.name, Machine(self.name))

    def _take_odd(self, moment: str, body: list[str]) -> None:
        """Take in, on the slow path, a page with more than names and values, such as times."""
        self.close()
        try:
            at_s = float(moment)
            page = exposition.parse("".join(body))
        except (ValueError, InputError):
            self.torn += 1
            return
        machine = self._machine(page)
        if machine is not None:
            found = {(name, one): page[name][one] for name in page for one in page[name]}
            machine.rows.begin([at_s])
            machine.rows.put(slice(None), found)

    def _stack(self) -> None:
        if self.machine is None or not self.times_s:
            return
        self.machine.rows.begin(self.times_s)
        columns = zip(*self.numbers, strict=True)
        self.machine.rows.put(slice(None), dict(zip(self.series, columns, strict=True)))
        self.times_s, self.numbers = [], []


def _split(body: list[str]) -> tuple[list[str], list[float]]:
    """The lines without their values, and the values; raises ValueError if a line has more."""
    keys, numbers = [], []
    for line in body:
        if line[0] in "#\n":
            continue
        key, _, number = line.rstrip().rpartition(" ")
        if not key.endswith("}") and (" " in key or not key):
            raise ValueError(line)
        value = float(number)
        keys.append(key)
        numbers.append(value if math.isfinite(value) else math.nan)
    return keys, numbers
