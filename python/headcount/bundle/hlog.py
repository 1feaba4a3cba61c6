"""The HdrHistogram log: each second's histograms, in the format of its own tools (version 1.3).

Values are microseconds; the tag names what was timed: `response/SCENARIO` and `service/SCENARIO`;
`pending/SCENARIO`, the ages at the interval's end of those still unanswered; `step/STEP`;
`task/TASK`, of what the protocol times inside steps; `lateness`, of the load generator's own
timers; `backlog`, the ages of what is due and not begun.
The format allows neither commas nor spaces in a tag, so names are percent-encoded.
"""

import base64
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from headcount._engine import Histogram
from headcount.bundle.files import Lines
from headcount.regular import has_regular, read_regular

FILE = "histograms.hlog"
_MS_PER_US = 1000.0
_HEAD = ("#[Histogram log format", "#[StartTime: ", '"StartTimestamp"')
"""How the lines of the head begin."""
_FIELDS = ("tag", "start", "length", "max", "histogram")


class HistogramLog:
    """A log under way."""

    def __init__(self, path: Path) -> None:
        """Open for appending."""
        self._lines = Lines(path)
        self._new = self._lines.is_empty

    def append(self, tag: str, start_s: float, length_s: float, histogram: Histogram) -> None:
        """Append one interval's histogram; `start_s` counts from the start of the run."""
        if self._new:
            self._begin(time.time() - start_s - length_s)
        if histogram.count == 0:
            return
        data = base64.b64encode(bytes(histogram.encode())).decode()
        start, length = key(start_s, length_s)
        self._lines.append(f"Tag={quote(tag)},{start},{length},{longest(histogram)},{data}")

    def _begin(self, started_s: float) -> None:
        """Write the header; `started_s` is when the run's clock began, in seconds of the epoch."""
        day = time.strftime("%a %b %d %H:%M:%S UTC %Y", time.gmtime(started_s))
        self._lines.append(
            "#[Histogram log format version 1.3]\n"
            f"#[StartTime: {started_s:.3f} (seconds since epoch), {day}]\n"
            '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'
        )
        self._new = False

    def close(self) -> None:
        """Close the file."""
        self._lines.close()


def longest(histogram: Histogram) -> str:
    """The longest duration of a histogram in ms, as the log writes it."""
    return f"{histogram.max_us / _MS_PER_US:.3f}"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a log.

    Attributes:
        number: From 1.
        last: Whether it is the last of the file.
        tag: What was timed.
        start: Begin of the interval, as written.
        length: Its length, as written.
        longest: The longest duration in it, in ms, as written.
        histogram: None where the line is torn or damaged.

    """

    number: int
    last: bool
    tag: str
    start: str
    length: str
    longest: str
    histogram: Histogram | None


_TORN = ("", "", "", "")


def _text(path: Path) -> str:
    return read_regular(path).decode("ascii", errors="replace")


def key(start_s: float, length_s: float) -> tuple[str, str]:
    """An interval as the log writes it."""
    return f"{start_s:.3f}", f"{length_s:.3f}"


def lines(path: Path) -> Iterator[Line]:
    """Every line of a log but its head, damaged ones too. Nothing without the file."""
    if not has_regular(path):
        return
    every = _text(path).split("\n")
    if every[-1] == "":
        every.pop()
    for number, line in enumerate(every, start=1):
        if number <= len(_HEAD) and line.startswith(_HEAD[number - 1]):
            continue
        tag, start, length, most, histogram = *_TORN, None
        fields = line.split(",")
        if line.startswith("Tag=") and len(fields) == len(_FIELDS):
            try:
                histogram = Histogram.decode(base64.b64decode(fields[4], validate=True))
            except ValueError:
                histogram = None
            tag, start, length, most = unquote(fields[0].removeprefix("Tag=")), *fields[1:4]
        yield Line(number, number == len(every), tag, start, length, most, histogram)


Wanted = Callable[[str, float, float], bool]
"""Whether a line is wanted: by its tag, start and length in seconds."""


def read(
    path: Path, wanted: Wanted | None = None
) -> dict[str, list[tuple[float, float, Histogram]]]:
    """Every whole line of a log, or those `wanted`, by tag: start, length, histogram.

    Histograms that are not wanted are not decoded, which is most of the time that reading takes.
    """
    found: dict[str, list[tuple[float, float, Histogram]]] = {}
    for line in _text(path).splitlines():
        fields = line.split(",")
        if not line.startswith("Tag=") or len(fields) != 5:
            continue
        tag = unquote(fields[0].removeprefix("Tag="))
        try:
            start_s, length_s = float(fields[1]), float(fields[2])
            if wanted is not None and not wanted(tag, start_s, length_s):
                continue
            histogram = Histogram.decode(base64.b64decode(fields[4], validate=True))
        except ValueError:
            continue  # the torn last line of a process that was killed
        found.setdefault(tag, []).append((start_s, length_s, histogram))
    return found
