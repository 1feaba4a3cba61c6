"""The HdrHistogram log: each second's histograms, in the format of its own tools (version 1.3).

Values are microseconds; the tag names what was timed: `response/SCENARIO` and `service/SCENARIO`;
`pending/SCENARIO`, the ages at the interval's end of those still unanswered; `step/STEP`;
`task/TASK`, of what the protocol times inside steps; `lateness`, of the load generator's own
timers; `backlog`, the ages of what is due and not begun.
The format allows neither commas nor spaces in a tag, so names are percent-encoded.
"""

import base64
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, unquote

from headcount._engine import Histogram
from headcount.bundle.files import Lines

_MS_PER_US = 1000.0


class HistogramLog:
    """A log under way."""

    def __init__(self, path: Path) -> None:
        """Open for appending."""
        self._lines = Lines(path)
        self._new = path.stat().st_size == 0

    def append(self, tag: str, start_s: float, length_s: float, histogram: Histogram) -> None:
        """Append one interval's histogram; `start_s` counts from the start of the run."""
        if self._new:
            self._begin(time.time() - start_s - length_s)
        if histogram.count == 0:
            return
        data = base64.b64encode(bytes(histogram.encode())).decode()
        longest = histogram.max_us / _MS_PER_US
        self._lines.append(f"Tag={quote(tag)},{start_s:.3f},{length_s:.3f},{longest:.3f},{data}")

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


Wanted = Callable[[str, float, float], bool]
"""Whether a line is wanted: by its tag, start and length in seconds."""


def read(
    path: Path, wanted: Wanted | None = None
) -> dict[str, list[tuple[float, float, Histogram]]]:
    """Every whole line of a log, or those `wanted`, by tag: start, length, histogram.

    Histograms that are not wanted are not decoded, which is most of the time that reading takes.
    """
    found: dict[str, list[tuple[float, float, Histogram]]] = {}
    for line in path.read_text("ascii", errors="replace").splitlines():
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
