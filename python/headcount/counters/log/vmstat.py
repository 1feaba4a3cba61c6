"""What `vmstat -t` prints: a row for each interval, with the time at its end.

The columns: https://man7.org/linux/man-pages/man8/vmstat.8.html. Amounts are in KiB, unless vmstat
was given another unit, which its text does not say.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from headcount.counters.log.derive import derive
from headcount.counters.log.reader import MOST_BYTES, MOST_LINE_BYTES
from headcount.counters.log.stack import Stack
from headcount.counters.log.table import samples
from headcount.counters.recording import Recording
from headcount.errors import InputError
from headcount.foreign import file as foreign

FORMAT = "vmstat -t"

_HEADER = re.compile(rb"-*procs-* -+memory-+ -+swap-")
_STAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_UTC = frozenset({"UTC", "GMT"})
_KIB = 1024.0
_PERCENT = 0.01
_PAGE_KIB = 4.0
"""Of x86-64, and of most others."""
_IDLE, _IOWAIT = (f"system.cpu.utilization{{cpu.mode={mode}}}" for mode in ("idle", "iowait"))
_FIELDS: Mapping[str, tuple[str, float]] = {
    "r": ("system.cpu.runnable", 1),
    "b": ("system.cpu.blocked", 1),
    "swpd": ("system.paging.usage{system.paging.state=used}", _KIB),
    "free": ("system.memory.usage{system.memory.state=free}", _KIB),
    "buff": ("system.memory.usage{system.memory.state=buffers}", _KIB),
    "si": ("system.paging.operations{system.paging.direction=in}", 1 / _PAGE_KIB),
    "so": ("system.paging.operations{system.paging.direction=out}", 1 / _PAGE_KIB),
    "bi": ("system.disk.io{disk.io.direction=read}", _KIB),
    "bo": ("system.disk.io{disk.io.direction=write}", _KIB),
    "in": ("system.cpu.interrupts", 1),
    "cs": ("system.cpu.context_switches", 1),
    "us": ("system.cpu.utilization{cpu.mode=user}", _PERCENT),
    "sy": ("system.cpu.utilization{cpu.mode=system}", _PERCENT),
    "id": (_IDLE, _PERCENT),
    "wa": (_IOWAIT, _PERCENT),
    "st": ("system.cpu.utilization{cpu.mode=steal}", _PERCENT),
}
"""Columns with their counters, and the factor for the catalogue's unit."""


def recognises(path: Path, head: bytes) -> bool:
    """Whether the file begins as vmstat's text."""
    return path.is_file() and _HEADER.match(head.lstrip()) is not None


def read(path: Path) -> list[Recording]:
    """Read the text: one recording, without the first row.

    That row has the means since the machine started.

    Raises:
        InputError: Its rows have no times, or a line cannot be read.

    """
    text = _Text()
    for number, raw in enumerate(foreign.lines(path, MOST_BYTES, MOST_LINE_BYTES), 1):
        try:
            text.take(raw.decode("utf-8", "replace"))
        except ValueError as error:
            if not raw.endswith(b"\n"):
                break  # the last line, cut off
            raise InputError(f"{path}, line {number}: {error}") from error
    if not text.rows:
        raise InputError(
            f"{path} has no samples: the first row has means since the machine started"
        )
    times_s, columns = text.rows.columns()
    if _IDLE in columns:
        waiting = columns.get(_IOWAIT, np.zeros(len(times_s)))
        columns["system.cpu.utilization"] = np.clip(1.0 - columns[_IDLE] - waiting, 0.0, 1.0)
    derive(columns)
    notes = ["Amounts are read as KiB, which vmstat prints without -S."]
    if text.zone not in _UTC:
        notes.append(f"Its times ({text.zone or 'no zone'}) are read as UTC.")
    return [
        Recording(
            source=str(path),
            format="vmstat",
            host=None,
            system="linux",
            samples=samples(times_s, columns),
            notes=tuple(notes),
        )
    ]


class _Text:
    """What the lines so far contain."""

    def __init__(self) -> None:
        self.rows = Stack[str]()
        self.zone = ""
        self._names: list[str] = []
        self._is_first = True
        """Whether the next row is the first of a vmstat."""

    def take(self, line: str) -> None:
        """Take in a line; raises ValueError if it cannot be read."""
        words = line.split()
        if not words or _HEADER.match(line.lstrip().encode()):
            return
        if words[0] == "r":
            self._take_names(words)
            return
        if not self._names:
            raise ValueError("the names of the columns are missing")
        values, stamp = words[: len(self._names)], " ".join(words[len(self._names) :])
        if not stamp:
            raise ValueError("the rows have no times; record with: vmstat -t 5 > slow.txt")
        if _STAMP.fullmatch(stamp) is None:
            raise ValueError(f'"{stamp}" is not a time such as 2026-11-29 14:05:00')
        numbers = [float(value) for value in values]
        at_s = datetime.fromisoformat(stamp).replace(tzinfo=UTC).timestamp()
        if self._is_first:
            self._is_first = False
            return
        self.rows.begin([at_s])
        columns = zip(self._names, numbers, strict=True)
        known = [(*_FIELDS[name], number) for name, number in columns if name in _FIELDS]
        self.rows.put(slice(None), {name: number * factor for name, factor, number in known})

    def _take_names(self, words: list[str]) -> None:
        """Take in the line of names, which is repeated; the zone is above the times."""
        self._names = [word for word in words if word.islower()]
        self.zone = " ".join(words[len(self._names) :])
