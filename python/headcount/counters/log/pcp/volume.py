"""The data volumes of a PCP archive, read without PCP's programs, which take 80 µs a record.

The format is that of LOGARCHIVE(5), versions 2 and 3. Records of the same length and structure are
read together. Anything unusual raises :class:`OddError`; then PCP's programs, which know every
case, read the archive.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.counters.columns import Column
from headcount.counters.log.stack import Stack
from headcount.foreign.file import opened

_LABELS = {0x50052602: 2, 0x50052603: 3}
"""The first word of a volume's label, and the version of the format it stands for."""
_CHUNK = 1 << 22
_LONGEST = 1 << 26
"""Longest record, in bytes: one of a machine with ten thousand processes has a few MB."""
_WORD = 4
_HEADS = {2: 4, 3: 5}
"""The words of a record before its metrics: its length, the time, the number of metrics."""
_MICRO = {2: 1, 3: 1000}
"""Divisor that converts the second part of a time to microseconds."""
_IN_SITU, _BLOCK = 0, 1
_NO_INSTANCE = 0xFFFFFFFF
_BLOCK_OFFSET = -2
"""Offsets of blocks count from the start of a message that has two more words."""
_EXACT = 1e12
"""Larger numbers have no significant digits after the decimal point."""
_TYPES: Mapping[str, tuple[int, str]] = {
    "32-bit int": (0, ">i4"),
    "32-bit unsigned int": (1, ">u4"),
    "64-bit int": (2, ">i8"),
    "64-bit unsigned int": (3, ">u8"),
    "float": (4, ">f4"),
    "double": (5, ">f8"),
}
"""Types by their name in pminfo: their number in a block, and their format."""

Words = NDArray[np.uint32]
Key = tuple[str, str | None]


class OddError(Exception):
    """A volume has something that only PCP's own programs can read."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A metric to be read.

    Attributes:
        name: Its name.
        kind: Its type, as pminfo calls it.
        discrete: Whether a value holds until the next one.
        instances: The names of its instances by number; None without instances.

    """

    name: str
    kind: str
    discrete: bool
    instances: Mapping[int, str] | None


def read(volumes: list[Path], wanted: Mapping[int, Wanted]) -> tuple[Column, dict[Key, Column]]:
    """Times and values of these metrics, by number, as `pmrep -u` prints them.

    A row for each record that has any of the metrics; a discrete value is repeated in all following
    rows. Raises OddError for anything that this reader does not know.
    """
    odd = {one.kind for one in wanted.values()} - _TYPES.keys()
    if odd:
        raise OddError(min(odd))
    rows: Stack[Key] = Stack()
    for volume in volumes:
        for version, chunk, places in _chunks(volume):
            _take(rows, version, chunk, places, wanted)
    times_s, columns = rows.columns()
    kept = {one.name for one in wanted.values() if one.discrete}
    for (name, _), column in columns.items():
        if name in kept:
            _keep(column)
    if len(times_s) > 1 and (np.diff(times_s) < 0).any():
        raise OddError("times that decrease")
    names = [one.name for one in wanted.values()]
    inner = {one.name: list((one.instances or {}).values()) for one in wanted.values()}
    order = {
        (name, instance): (
            _first(column),
            names.index(name),
            inner[name].index(instance) if instance is not None else 0,
        )
        for (name, instance), column in columns.items()
    }
    return times_s, {key: columns[key] for key in sorted(columns, key=order.__getitem__)}


def _first(column: Column) -> int:
    """The first row with a value."""
    return int(np.argmin(np.isnan(column)))


def _keep(column: Column) -> None:
    """Repeat each value until the next one."""
    known = ~np.isnan(column)
    latest = np.maximum.accumulate(np.where(known, np.arange(len(column)), -1))
    column[:] = np.where(latest >= 0, column[latest], np.nan)


def _chunks(volume: Path) -> Iterator[tuple[int, Words, list[int]]]:
    """Parts of a volume: the version, the words, and where in them records begin."""
    with opened(volume) as file:
        size, magic = struct.unpack(">II", file.read(8).ljust(8, b"\0"))
        version = _LABELS.get(magic)
        if version is None:
            raise OddError("a label of another version")
        file.seek(size)
        rest = b""
        while more := file.read(_CHUNK):
            data = rest + more
            places, end = _places(data)
            rest = data[end:]
            if places:
                yield version, np.frombuffer(data[:end], dtype=">u4").astype(np.uint32), places
        if rest:
            raise OddError("a torn record")


def _places(data: bytes) -> tuple[list[int], int]:
    """Where complete records begin, in words, and where the last one ends, in bytes."""
    places = []
    begin, size, length = 0, len(data), struct.Struct(">I").unpack_from
    while begin + _WORD <= size:
        (long,) = length(data, begin)
        if not 5 * _WORD <= long <= _LONGEST or long % _WORD:
            raise OddError("a record of impossible length")
        if begin + long > size:
            break
        places.append(begin // _WORD)
        begin += long
    return places, begin


def _take(
    rows: Stack[Key], version: int, words: Words, places: list[int], wanted: Mapping[int, Wanted]
) -> None:
    """Add the values of the wanted metrics in the records."""
    begins = np.array(places)
    times_s = _times_s(version, words, begins)
    if (np.diff(times_s) < 0).any():
        raise OddError("times that decrease")
    lengths = words[begins] // _WORD
    found: list[tuple[NDArray[np.intp], dict[Key, Column]]] = []
    for length in np.unique(lengths):
        here = np.flatnonzero(lengths == length)
        records = words[begins[here][:, None] + np.arange(length)]
        while len(here):
            layout = _Layout.of(version, records[0])
            if not layout.metrics and any(one.discrete for one in wanted.values()):
                raise OddError("a gap, which may end what a value stands for")
            same = (records[:, layout.fixed] == records[0, layout.fixed]).all(axis=1)
            values = layout.values(records[same], wanted)
            if values is not None:
                found.append((here[same], values))
            here, records = here[~same], records[~same]
    if not found:
        return
    some = np.unique(np.concatenate([at for at, _ in found]))
    rows.begin(times_s[some])
    for at, values in found:
        rows.put(np.searchsorted(some, at), values)


def _times_s(version: int, words: Words, begins: NDArray[np.intp]) -> Column:
    if version == 3 and words[begins + 2].any():  # the lower half comes first
        raise OddError("a time far off")
    seconds = words[begins + 1].astype(np.int64)
    parts = words[begins + _HEADS[version] - 2].astype(np.int64) // _MICRO[version]
    times_s: Column = (seconds * 1_000_000 + parts) / 1e6
    return times_s


@dataclass(frozen=True, slots=True)
class _Layout:
    """The layout of records of one structure.

    Attributes:
        fixed: The words that are the same in all records of this structure.
        metrics: The number of each metric, and for its instances their numbers and the places of
            their values: of a word, or of a block.

    """

    fixed: NDArray[np.intp]
    metrics: list[tuple[int, list[tuple[int, int, bool]]]]

    @classmethod
    def of(cls, version: int, record: Words) -> "_Layout":
        """The structure of a record."""
        words = [int(word) for word in record]
        last = len(words) - 1
        if words[last] != words[0]:
            raise OddError("a record with two lengths")
        place = _HEADS[version]
        fixed = {0, place - 1, last}
        metrics = []
        for _ in range(words[place - 1]):
            if place + 2 > last:
                raise OddError("a record too short")
            number, count = words[place : place + 2]
            fixed |= {place, place + 1}
            place += 2
            values = []
            if 0 < count < 1 << 31:
                how, place = words[place], place + 1
                if place + 2 * count > last or how > _BLOCK:
                    raise OddError("a record too short, or values of an unknown form")
                fixed.add(place - 1)
                for _ in range(count):
                    fixed.add(place)
                    block = how != _IN_SITU
                    if block:
                        fixed.add(place + 1)
                    at = words[place + 1] + _BLOCK_OFFSET if block else place + 1
                    values.append((words[place], at, block))
                    place += 2
            metrics.append((number, values))
        blocks = [at for _, values in metrics for _, at, block in values if block]
        if min(blocks, default=last) != place or max(blocks, default=0) >= last:
            raise OddError("metrics that do not fill their record")
        fixed |= set(blocks)
        return cls(np.array(sorted(fixed)), metrics)

    def values(self, records: Words, wanted: Mapping[int, Wanted]) -> dict[Key, Column] | None:
        """The values of the wanted metrics in all records; None if they have none of them."""
        found: dict[Key, Column] = {}
        has_any = False
        for number, places in self.metrics:
            metric = wanted.get(number)
            if metric is None:
                continue
            if metric.instances is None and any(one != _NO_INSTANCE for one, _, _ in places):
                raise OddError("an instance of a metric that has none")
            has_any = True
            for instance, at, block in places:
                name = None if metric.instances is None else metric.instances.get(instance, "")
                if name != "":
                    found[metric.name, name] = _numbers(records, at, metric.kind, block=block)
        return found if has_any else None


def _numbers(records: Words, at: int, kind: str, *, block: bool) -> Column:
    number, form = _TYPES[kind]
    dtype = np.dtype(form)
    if block:
        if records[0, at] != number << 24 | _WORD + dtype.itemsize:
            raise OddError("a value of another type")
        at += 1
    elif dtype.itemsize != _WORD:
        raise OddError("a value of another type")
    raw: NDArray[Any] = records[:, at : at + dtype.itemsize // _WORD].astype(">u4")
    values: Column = np.ascontiguousarray(raw).view(dtype)[:, 0].astype(np.float64)
    if dtype.kind == "f":  # pmrep prints three decimals
        small = np.abs(values) < _EXACT
        values = np.where(small, np.round(np.where(small, values, 0.0), 3), values)
    return values
