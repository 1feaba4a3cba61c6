"""Files of sysstat: sar's daily files, the output of `sadf -j`, and what its programs print.

The binary format changes with sysstat's version, so its own program reads them.
"""

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import numpy as np

from headcount.counters.columns import Column
from headcount.counters.log.derive import derive
from headcount.counters.log.program import run
from headcount.counters.log.reader import MOST_BYTES, MOST_LINE_BYTES
from headcount.counters.log.stack import Stack
from headcount.counters.log.sysstat import printed, stream
from headcount.counters.log.sysstat.batch import batches
from headcount.counters.log.sysstat.figures import figures, unknown
from headcount.counters.log.table import samples
from headcount.counters.naming import split_instance
from headcount.counters.recording import Bookmark, Recording
from headcount.errors import InputError
from headcount.foreign import file as foreign
from headcount.foreign.damage import DAMAGE
from headcount.foreign.file import opened

FORMAT = "sysstat (a file of sar's, what it prints, or the output of sadf -j)"

_MAGIC = (b"\x96\xd5", b"\xd5\x96")
"""The first bytes of sysstat's files, in either byte order (SA_MAGIC, 0xd596)."""
_PRINTED = re.compile(rb"\w+ \S+ \([^\n]*\)\s+[\d./-]+[\t \r\n]")
"""The beginning of what sysstat's programs print."""
_TOGETHER = 128
"""Samples that become columns at a time: enough to make the cost of a batch negligible."""
_MINUTES = 15
"""Time zones are multiples of a quarter of an hour from UTC."""
_SLACK_S = 120
"""How much later than one interval after the file was made its first sample may be."""


class _NoTimesError(ValueError):
    """Samples have no times as those of sadf have."""


def recognises(path: Path, head: bytes) -> bool:
    """Whether the file is sysstat's: by its first bytes, or by the first key of its JSON."""
    return path.is_file() and (
        head[:2] in _MAGIC or _is_json(head) or _PRINTED.match(head.lstrip()) is not None
    )


def read(path: Path) -> list[Recording]:
    """Read the file: a recording for each machine in it.

    Raises:
        InputError: It is damaged, or was written by a sysstat that the one here cannot read.
        SystemLimitError: sadf is not installed, for a binary file.

    """
    with opened(path) as file:
        head = file.read(4096)
    if _PRINTED.match(head.lstrip()) is not None:
        return _printed(path)
    binary = not _is_json(head)
    notes: list[str] = []
    if binary:
        outcome = run(["sadf", "-j", "-C", str(path), "--", "-A"], log=path, package="sysstat")
        if outcome.complaint:
            notes = [f"sadf reports: {outcome.complaint.splitlines()[0]}"]
        raw: BinaryIO = BytesIO(outcome.text)
    else:
        raw = opened(path)
    try:
        with TextIOWrapper(raw, "utf-8-sig") as file:
            # A crash leaves a file torn in its last record; the others are read.
            found = _hosts(file, torn=binary)
        kind = "sysstat" if binary else "sysstat JSON"
        return [_recording(path, host, kept, notes, kind) for host, kept in found]
    except DAMAGE as error:
        if binary:
            why = "; ".join(outcome.complaint.splitlines()) or error
            raise InputError(f"{path}: sadf cannot read it: {why}") from error
        if isinstance(error, _NoTimesError):
            raise InputError(
                f"{path}: the JSON of iostat or mpstat, whose samples have no times; record with "
                "`/usr/lib/sysstat/sadc -S XALL 5 720 slow.sa` and use slow.sa"
            ) from error
        raise InputError(
            f"{path}: not a complete output of sadf ({error}); convert the file again with "
            "`sadf -j FILE -- -A > x.json`"
        ) from error


def _printed(path: Path) -> list[Recording]:
    """What sar, mpstat or iostat has printed."""
    try:
        lines = foreign.lines(path, MOST_BYTES, MOST_LINE_BYTES)
        found = printed.hosts(line.decode("utf-8", "replace") for line in lines)
    except DAMAGE as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    if not any(host.blocks for host in found):
        raise InputError(
            f"{path} has no samples of sar, mpstat or iostat; record with "
            "`/usr/lib/sysstat/sadc -S XALL 5 720 slow.sa` and use slow.sa"
        )
    recordings = []
    for host in found:
        rows = host.columns()
        local = array("b", [not host.has_zone]) * len(rows)
        first: Mapping[str, Any] | None = None if host.has_zone else {}
        kept = _Kept(rows, local, first, host.unknown, has_system=host.has_system)
        recordings.append(_recording(path, host.about, kept, (), "sysstat text"))
    return recordings


def _is_json(head: bytes) -> bool:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b"{") and start[1:].lstrip().startswith(b'"sysstat"')


@dataclass
class _Kept:
    """The samples of a host so far; times as in the file, local ones marked."""

    rows: Stack[str] = field(default_factory=Stack[str])
    local: "array[int]" = field(default_factory=lambda: array("b"))
    first_local: Mapping[str, Any] | None = None
    unknown: dict[str, None] = field(default_factory=dict)
    sections: set[tuple[str, ...]] = field(default_factory=set)
    has_system: bool = False
    waiting: list[Mapping[str, Any]] = field(default_factory=list)

    def take(self, samples: Iterable[Mapping[str, Any]]) -> None:
        """Take in samples; turns them into columns many at a time."""
        self.waiting.extend(samples)
        if len(self.waiting) >= _TOGETHER:
            self.stack()

    def stack(self) -> None:
        """Turn the waiting samples into columns."""
        samples, self.waiting = self.waiting, []
        if not samples:
            return
        stamps: list[Any] = [sample.get("timestamp") for sample in samples]
        if not all(isinstance(stamp, Mapping) for stamp in stamps):
            raise _NoTimesError
        local = [not stamp.get("utc", 1) for stamp in stamps]
        self.local.extend(local)
        if self.first_local is None and any(local):
            self.first_local = stamps[local.index(True)]
        self.rows.begin([_written_s(stamp) for stamp in stamps])
        for places, batch in batches(samples):
            self.rows.put(places, figures(batch))
            self.has_system |= any("system" in cpu for cpu in batch.get("cpu-load", ()))
        if not self.sections.issuperset(map(tuple, samples)):
            self._name_unknown(samples)

    def _name_unknown(self, samples: Iterable[Mapping[str, Any]]) -> None:
        for sample in samples:
            sections = tuple(sample)
            if sections not in self.sections:
                self.sections.add(sections)
                self.unknown |= dict.fromkeys(unknown(sample))


def _hosts(file: TextIO, *, torn: bool) -> list[tuple[Mapping[str, Any], _Kept]]:
    kept: dict[int, _Kept] = {}

    def take(number: int, samples: Sequence[Mapping[str, Any]]) -> None:
        if number not in kept:
            kept[number] = _Kept()
        kept[number].take(samples)

    found = stream.hosts(file, take, torn=torn)
    for one in kept.values():
        one.stack()
    return [(host, kept.get(number, _Kept())) for number, host in enumerate(found)]


def _recording(
    path: Path, host: Mapping[str, Any], kept: _Kept, messages: Sequence[str], kind: str
) -> Recording:
    ahead_s, notes = _zone(host, kept.first_local)
    written_s, columns = kept.rows.columns()
    times_s = written_s - ahead_s * np.array(kept.local)
    _forget_links_without_speed(columns)
    derive(columns)
    if (cpus := host.get("number-of-cpus")) and len(times_s):
        columns["system.cpu.logical.count"] = np.full(len(times_s), float(cpus))
    if kept.has_system:
        notes.append(
            "System time includes interrupts, as in sar -u; sadf -j FILE -- -A separates them."
        )
    return Recording(
        source=str(path),
        format=kind,
        host=host.get("nodename"),
        system=str(host.get("sysname", "Linux")).lower(),
        samples=samples(times_s, columns),
        bookmarks=_bookmarks(host, ahead_s),
        notes=(*messages, *notes),
        unknown=tuple(kept.unknown),
    )


def _forget_links_without_speed(columns: dict[str, Column]) -> None:
    """Drop shares of links without a known speed, for which sar always reports 0%."""
    family = "system.network.utilization"
    for name in list(columns):
        if split_instance(name)[0] in {family, f"{family}.busiest"} and not np.nansum(
            columns[name]
        ):
            del columns[name]


def _time(stamp: Mapping[str, Any], ahead_s: float) -> float:
    return _written_s(stamp) - (0.0 if stamp.get("utc", 1) else ahead_s)


def _written_s(stamp: Mapping[str, Any]) -> float:
    """The written time, read as UTC."""
    return _midnight_s(stamp["date"]) + _of_day_s(stamp["time"])


@lru_cache(maxsize=64)
def _midnight_s(date: str) -> float:
    return datetime.fromisoformat(date).replace(tzinfo=UTC).timestamp()


def _of_day_s(clock: str) -> float:
    of_day = time.fromisoformat(clock)
    return of_day.hour * 3600.0 + of_day.minute * 60 + of_day.second


def _zone(host: Mapping[str, Any], local: Mapping[str, Any] | None) -> tuple[float, list[str]]:
    """How far the file's times are ahead of UTC in seconds, and a note about it.

    `sadf -t` and `-T` write local times without the zone. But they also write when the file was
    made, in UTC, and its first sample is one interval later.
    """
    made = host.get("file-utc-time")
    if local is None:
        return 0.0, []
    if made:
        first = datetime.fromisoformat(f"1970-01-02T{local['time']}")
        begun = first - timedelta(seconds=float(local.get("interval", 0)))
        apart_s = (begun - datetime.fromisoformat(f"1970-01-02T{made}")).total_seconds()
        ahead_s = round(apart_s / (_MINUTES * 60)) * _MINUTES * 60.0
        if abs(apart_s - ahead_s) <= _SLACK_S:
            # From 12 hours behind UTC to 12 ahead; anything further ahead is ambiguous.
            ahead_s = (ahead_s + 12 * 3600) % (24 * 3600) - 12 * 3600
            hours = f"{ahead_s / 3600:+g}"
            return ahead_s, [
                f"The file has local times: UTC{hours} hours, judging by when it was created."
            ]
    note = (
        "The file has local times of an unknown zone; they are read as UTC. "
        "`sadf -j` without -t and -T writes UTC."
    )
    return 0.0, [note]


def _bookmarks(host: Mapping[str, Any], ahead_s: float) -> tuple[Bookmark, ...]:
    """Comments that `sadc -C` wrote into the file, and starts of the machine."""
    comments = [entry["comment"] for entry in host.get("comments") or ()]
    found = [Bookmark(_time(one, ahead_s), str(one.get("com", ""))) for one in comments]
    starts = [entry["boot"] for entry in host.get("restarts") or ()]
    found += [Bookmark(_time(one, ahead_s), "The machine started.") for one in starts]
    return tuple(sorted(found, key=lambda bookmark: bookmark.at_s))
