"""The HdrHistogram log: each second's histograms, in the format of its own tools (version 1.3).

Values are microseconds; the tag names what was timed: `response/SCENARIO` and `service/SCENARIO`;
`pending/SCENARIO`, the ages at the interval's end of those still unanswered; `step/STEP`;
`task/TASK`, of what the protocol times inside steps; `line/LINE`, response times of the users on a
line; `lateness`, of the load generator's own
timers; `backlog`, the ages of what is due and not begun.
The format allows neither commas nor spaces in a tag, so names are percent-encoded.
"""

import base64
import math
import time
from binascii import a2b_base64
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from headcount._engine import Histogram
from headcount.bundle.files import Lines, file_blocks, file_lines
from headcount.errors import InputError
from headcount.foreign.file import has_regular, place_of

FILE = "histograms.hlog"
_MS_PER_US = 1000.0
_HEAD = ("#[Histogram log format", "#[StartTime: ", '"StartTimestamp"')
"""Prefix of the lines of the head."""
_TAG = b"Tag="
_MOST_TAGS = 100_000
"""How many are cached; a workload of hundreds of scenarios has thousands."""
_FIELDS = ("tag", "start", "length", "max", "histogram")
MOST_BYTES = 16 << 30
_MOST_LINE_BYTES = 1 << 20
"""Longest line: a histogram with a value in each of its buckets takes a tenth of it."""
MOST_DAMAGED_BYTES = 64 << 20
"""Longest line with zeros in it, which a power failure leaves where it lost what was written."""
_BUCKETS, _BUCKETS_A_BYTE = 4_000_000, 4
"""Buckets that a log may have, and how many more per byte of it: those of a run have less than one
per byte, a log made to fill the memory 100."""


class HistogramLog:
    """A log under way."""

    def __init__(self, path: Path) -> None:
        """Open for appending."""
        self._lines = Lines(path)

    @property
    def length(self) -> int:
        """Its length in bytes."""
        return self._lines.length

    def append(self, start_s: float, length_s: float, histograms: Mapping[str, Histogram]) -> None:
        """Append an interval's histograms, by tag; `start_s` counts from the start of the run."""
        lines = [] if self.length else _head(time.time() - start_s - length_s)
        start, length = key(start_s, length_s)
        for tag, histogram in histograms.items():
            if histogram.count:
                data = base64.b64encode(bytes(histogram.encode())).decode()
                lines.append(f"Tag={_quoted(tag)},{start},{length},{longest(histogram)},{data}")
        if lines:
            self._lines.append("\n".join(lines))

    def cut(self, length: int) -> None:
        """Cut it to `length` bytes of whole lines; raises HeadcountError."""
        self._lines.cut(length)

    def sync(self) -> None:
        """Flush it to the disk; raises HeadcountError."""
        self._lines.sync()

    def close(self) -> None:
        """Close the file."""
        self._lines.close()


@cache
def _quoted(tag: str) -> str:
    """A tag as the log writes it; cached, because each second has the same ones."""
    return quote(tag)


def _head(started_s: float) -> list[str]:
    """The head's lines; `started_s` is the start of the run's clock, in seconds of the epoch."""
    day = time.strftime("%a %b %d %H:%M:%S UTC %Y", time.gmtime(started_s))
    return [
        "#[Histogram log format version 1.3]",
        f"#[StartTime: {started_s:.3f} (seconds since epoch), {day}]",
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]


def longest(histogram: Histogram) -> str:
    """The longest duration of a histogram in ms, as the log writes it."""
    return f"{histogram.max_us / _MS_PER_US:.3f}"


Interval = tuple[str, str]
"""Start and length, as written."""


class Line(NamedTuple):
    """A line of a log.

    Attributes:
        number: Its number, from 1.
        last: Whether it is the last of the file.
        tag: What was timed.
        interval: Start and length of the interval, as written.
        longest: The longest duration in it, in ms, as written.
        histogram: None if the line is torn or damaged.

    """

    number: int
    last: bool
    tag: str
    interval: Interval
    longest: str
    histogram: Histogram | None


_TORN = ("", ("", ""), "")


def key(start_s: float, length_s: float) -> Interval:
    """An interval as the log writes it."""
    return f"{start_s:.3f}", f"{length_s:.3f}"


def lines(path: Path) -> Iterator[Line]:
    """Every line of a log except its head, including damaged ones. Empty without the file.

    Raises InputError if the file cannot be read, or a line or its unpacked content is too long.
    """
    path = place_of(path)
    if not has_regular(path):
        return
    unpacking, tags = _Unpacking(path), _Tags()
    interval: Interval = ("", "")
    written: list[bytes] = []
    before: Line | None = None
    for number, line in enumerate(unpacking.lines(), start=1):
        if before is not None:
            yield before
            before = None
        if number <= len(_HEAD) and line.startswith(_HEAD[number - 1].encode()):
            continue
        fields = line.split(b",")
        tag = tags.of(fields[0]) if len(fields) == len(_FIELDS) else None
        if tag is None:
            before = Line(number, False, *_TORN, None)
            continue
        histogram = unpacking.histogram(fields[4])
        if fields[1:3] != written:  # all lines of a second have the same
            written = fields[1:3]
            interval = fields[1].decode("ascii", "replace"), fields[2].decode("ascii", "replace")
        most = fields[3].decode("ascii", "replace")
        before = Line(number, False, tag, interval, most, histogram)
    if before is not None:
        yield before._replace(last=True)


def stored(path: Path) -> Iterator[tuple[int, bytes]]:
    """Every line of a log except its head, as stored, with its first byte. Empty without a log.

    A damaged line of the head counts as one of them. Raises InputError as `lines` does.
    """
    path = place_of(path)
    if not has_regular(path):
        return
    at = 0
    found = file_lines(path, MOST_BYTES, MOST_DAMAGED_BYTES)
    for line, head in zip_longest(found, _HEAD):
        if line is None:
            return
        if head is None or not line.startswith(head.encode()):
            yield at, line
        at += len(line)


def fields_of(line: bytes) -> tuple[str, Interval, str] | None:
    """Tag, interval and histogram of a stored line, as written; None if it is damaged."""
    fields = line.rstrip(b"\r\n").decode("ascii", errors="replace").split(",")
    if not fields[0].startswith("Tag=") or len(fields) != len(_FIELDS):
        return None
    return unquote(fields[0].removeprefix("Tag=")), (fields[1], fields[2]), fields[4]


def is_histogram(text: str) -> bool:
    """Whether a text is a whole histogram."""
    try:
        Histogram.decode(base64.b64decode(text, validate=True))
    except ValueError:
        return False
    return True


RESPONSE = "response/"
"""Prefix of the tags of response times."""
Within = Callable[[float, float], bool]
"""Whether a line is wanted, by its start and length in seconds."""


def read(
    path: Path, kind: str = "", within: Within | None = None
) -> dict[str, list[tuple[float, float, Histogram]]]:
    """Every whole line of a log, or those wanted, by tag: start, length, histogram.

    Empty without the file. Raises InputError as `lines` does.
    """
    found: dict[str, list[tuple[float, float, Histogram]]] = {}
    for tag, start_s, length_s, histogram in each(path, kind, within):
        found.setdefault(tag, []).append((start_s, length_s, histogram))
    return found


def each(
    path: Path, kind: str = "", within: Within | None = None
) -> Iterator[tuple[str, float, float, Histogram]]:
    """Every whole line of a log, or those wanted, in order: tag, start, length, histogram.

    `kind` is the prefix of their tags. Other lines are not decoded, because decoding takes most of
    the time.
    """
    path = place_of(path)
    if not has_regular(path):
        return
    unpacking, tags = _Unpacking(path), _Tags()
    written: list[bytes] = []
    seconds: tuple[float, float] | None = None
    for line in unpacking.lines_with(_TAG + kind.encode()):
        fields = line.split(b",")
        tag = tags.of(fields[0]) if len(fields) == len(_FIELDS) else None
        if tag is None:
            continue
        if fields[1:3] != written:  # all lines of a second have the same
            written = fields[1:3]
            seconds = _seconds(written)
            if seconds is not None and within is not None and not within(*seconds):
                seconds = None
        if seconds is None:
            continue
        histogram = unpacking.histogram(fields[4])
        if histogram is not None:
            yield tag, *seconds, histogram


def _seconds(written: list[bytes]) -> tuple[float, float] | None:
    """Start and length of an interval; None for a line torn when its process was killed."""
    try:
        start_s, length_s = float(written[0]), float(written[1])
    except ValueError:
        return None
    return (start_s, length_s) if math.isfinite(start_s) and math.isfinite(length_s) else None


class _Tags:
    """A cache of the tags of a log being read, which are the same in each second."""

    def __init__(self) -> None:
        self._known: dict[bytes, str | None] = {}

    def of(self, field: bytes) -> str | None:
        """The tag in the first field of a line; None if it is not a tag."""
        try:
            return self._known[field]
        except KeyError:
            pass
        tag = None
        if field.startswith(_TAG):
            tag = unquote(field[len(_TAG) :].decode("ascii", errors="replace"))
        if len(self._known) >= _MOST_TAGS:  # the file is not one of ours
            self._known.clear()
        self._known[field] = tag
        return tag


class _Unpacking:
    """A log being read, with the buckets that its histograms have unpacked to so far."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._buckets = 0
        self._bytes = 0

    def lines(self) -> Iterator[bytes]:
        """The lines, without their ends."""
        for line in file_lines(self._path, MOST_BYTES, _MOST_LINE_BYTES):
            self._bytes += len(line)
            yield line.rstrip(b"\r\n")

    def lines_with(self, head: bytes) -> Iterator[bytes]:
        """The lines that start with `head`."""
        for block in file_blocks(self._path, MOST_BYTES, _MOST_LINE_BYTES):
            self._bytes += len(block)
            at = 0 if block.startswith(head) else _next(block, head, 0)
            while at >= 0:
                end = block.find(b"\n", at)
                yield block[at : end if end >= 0 else len(block)].rstrip(b"\r\n")
                at = _next(block, head, at)

    def histogram(self, text: bytes) -> Histogram | None:
        """The histogram of a line; None if it is damaged."""
        try:
            found = Histogram.decode(a2b_base64(text, strict_mode=True))
        except ValueError:
            return None
        # It has no more buckets than durations, which are known sooner.
        most = _BUCKETS_A_BYTE * len(text)
        self._buckets += found.count if found.count <= most else len(found.buckets())
        if self._buckets > _BUCKETS + _BUCKETS_A_BYTE * self._bytes:
            raise InputError(
                f"{self._path} is damaged: its histograms unpack to more than those of a run"
            )
        return found


def _next(block: bytes, head: bytes, at: int) -> int:
    """Start of the next line after `at` that begins with `head`; negative if there is none."""
    found = block.find(b"\n" + head, at)
    return found + 1 if found >= 0 else found
