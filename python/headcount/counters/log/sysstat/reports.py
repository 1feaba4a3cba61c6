"""The reports that iostat prints: the CPUs, then a table of disks, under a time.

The columns: https://man7.org/linux/man-pages/man1/iostat.1.html.
"""

import math
import re
from datetime import datetime, timedelta

from headcount.counters.log.sysstat.section import Section, date_of, number, of_day_s

_STAMP = re.compile(
    r"(?P<date>\d[\d./-]+)[T ]\s*(\d\d):(\d\d):(\d\d)(?:\s?([AaPp][Mm]))?(?P<zone>[+-]\d{4})?"
)
_DISKS = Section(("DEV", "tps", "rkB/s", "wkB/s", "aqu-sz", "await", "%util"), ("disk",))
_UNITS = (("kB", 1.0), ("MB", 1024.0), ("sec", 0.5), ("Blk", 0.5))
_READ = tuple((name, kib) for unit, kib in _UNITS for name in (f"r{unit}/s", f"{unit}_read/s"))
_WRITTEN = tuple((name, kib) for unit, kib in _UNITS for name in (f"w{unit}/s", f"{unit}_wrtn/s"))
"""Columns of what was read and written a second, in all units that iostat prints, and their KiB."""
_QUEUE = (("aqu-sz", 1.0), ("avgqu-sz", 1.0))


class Reports:
    """The lines of reports, one after another.

    Attributes:
        has_zone: Whether the times have a zone: they are UTC then.

    """

    def __init__(self) -> None:
        """Nothing has been read yet."""
        self.has_zone = False
        self._at: datetime | None = None
        self._number = 0
        self._names: list[str] | None = None

    def row(self, line: str) -> tuple[Section, str, datetime, list[float]] | None:
        """A line as a row of a section of sar's: what it is about, when, and its numbers.

        None for other lines, and in the first report, which has the means since the machine
        started. Raises ValueError if reports have no times.
        """
        words = line.split()
        if not words:
            self._names = None
        elif (stamp := _STAMP.fullmatch(line.strip())) is not None:
            self._begin(stamp)
        elif words[0] in {"avg-cpu:", "Device", "Device:"}:
            self._names = ["DEV", *words[1:]] if words[0] != "avg-cpu:" else words[1:]
        elif self._names is not None:
            return self._values(words, self._names)
        return None

    def _begin(self, stamp: re.Match[str]) -> None:
        at = date_of(stamp["date"]) + timedelta(seconds=of_day_s(*stamp.group(2, 3, 4, 5)))
        if zone := stamp["zone"]:
            ahead = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:]))
            at = at - ahead if zone[0] == "+" else at + ahead
            self.has_zone = True
        self._at = at
        self._number += 1

    def _values(
        self, words: list[str], names: list[str]
    ) -> tuple[Section, str, datetime, list[float]] | None:
        if self._at is None:
            raise ValueError("the reports have no times; record with: iostat -xt 5 > slow.txt")
        if len(words) != len(names):
            raise ValueError(f"a row has {len(words)} values for {len(names)} columns")
        if self._number < 2:
            return None
        if names[0] != "DEV":
            cpus = Section(("CPU", *names), ("cpu-load",))
            by_name = dict(zip(names, map(number, words), strict=True))
            return cpus, "all", self._at, [by_name[cpus.columns[at]] for at, _, _ in cpus.numbers]
        disk = dict(zip(names[1:], map(number, words[1:]), strict=True))
        return _DISKS, words[0], self._at, _disk(disk)


def _disk(disk: dict[str, float]) -> list[float]:
    """The figures of a disk in the columns of sar; NaN for one that iostat was not asked for."""

    def first(*names: tuple[str, float]) -> float:
        found = (disk[name] * factor for name, factor in names if name in disk)
        return next(found, math.nan)

    reads, writes = first(("r/s", 1.0)), first(("w/s", 1.0))
    done = first(("tps", 1.0)) if "tps" in disk else reads + writes
    waits = disk.get("r_await", math.nan) * reads + disk.get("w_await", math.nan) * writes
    wait = disk["await"] if "await" in disk else waits / done if done else math.nan
    return [done, first(*_READ), first(*_WRITTEN), first(*_QUEUE), wait, first(("%util", 1.0))]
