"""A run under way, followed by what it writes each second."""

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from headcount.foreign.file import PACKED, opened, place_of
from headcount.foreign.json_text import json_value
from headcount.live.reading import News, Reading, Remark

SECOND = ("t_s", "seconds", "users", "scenarios", "counters", "p95_ms")
EVENT = ("at", "t_s", "event")
"""Keys that the lines of a run must have to be shown."""
FILES = ("series.ndjson", "events.ndjson")
"""The files of a bundle that are followed."""
MOST_BYTES = 64 << 20
"""Most bytes read at a time: catching up with a run of days takes several reads."""
MOST_LINE_BYTES = 16 << 20
"""Longest line: a second with thousands of counters takes a hundredth; a longer one is damaged."""
RUN = "run"
"""The source of the run's own figures: users, response time, scenarios a second."""


class Tail:
    """The complete lines of JSON that a file has gained since the last call.

    Anything but a regular file, such as a link, has none.

    Attributes:
        is_behind: Whether there is more for the next call to read.

    """

    def __init__(self, path: Path, keys: Sequence[str]) -> None:
        """Read nothing yet; the file need not exist yet. Each line must have these keys."""
        self._path = path
        self._keys = keys
        self._read = 0
        self.is_behind = False

    def new(self) -> list[dict[str, Any]]:
        """The lines since the last call; torn and damaged ones are skipped."""
        found = []
        try:
            for line in self._lines():
                try:
                    value = json_value(line)
                except ValueError:
                    continue
                if isinstance(value, dict) and all(key in value for key in self._keys):
                    found.append(value)
        except (OSError, EOFError, zlib.error):
            self.is_behind = False
        return found

    def _lines(self) -> Iterator[bytes]:
        path = place_of(self._path)
        with opened(path, follow=False) as kept:
            file = gzip.GzipFile(fileobj=kept) if path.suffix == PACKED else kept
            file.seek(self._read)
            end = self._read + MOST_BYTES
            self.is_behind = False
            while line := file.readline(MOST_LINE_BYTES):
                if not line.endswith(b"\n") and len(line) < MOST_LINE_BYTES:
                    return  # it is still being written
                self._read += len(line)
                yield line
                if self._read >= end:
                    self.is_behind = True
                    return


class RunFeed:
    """The counters of all sides of a run, its users, rates and response times, and its levels.

    Args:
        folder: The bundle.
        under_way: Whether a process is still writing it.

    """

    def __init__(self, folder: Path, under_way: Callable[[], bool]) -> None:
        """Read nothing yet."""
        self.name = "run"
        self._series = Tail(folder / FILES[0], SECOND)
        self._events = Tail(folder / FILES[1], EVENT)
        self._under_way = under_way
        self._began_s: float | None = None
        self._waiting: list[dict[str, Any]] = []
        self._done = False

    @property
    def done(self) -> bool:
        """Whether the run is over and all of it was shown."""
        return self._done

    def poll(self) -> list[News]:
        """The seconds that have passed since the last call, and what happened in them."""
        over = not self._under_way()
        news: list[News] = list(self._happened())
        self._waiting += self._series.new()
        if self._began_s is not None:
            for second in self._waiting:
                news += seconds(second, self._began_s)
            self._waiting.clear()
        self._done = over and not (self._series.is_behind or self._events.is_behind)
        return sorted(news, key=lambda one: one.at_s)

    def close(self) -> None:
        """No file is held open."""

    def _happened(self) -> Iterator[News]:
        for event in self._events.new():
            at_s = datetime.fromisoformat(event["at"]).timestamp()
            self._began_s = at_s - event["t_s"]
            if event["event"] == "level-start":
                yield Remark(
                    at_s,
                    f"level {event['level']}: {event['users']:,} users ({event['purpose']})",
                )
            elif event["event"] == "level-end":
                yield Remark(at_s, f"level {event['level']} {event['outcome']}")


def seconds(second: Mapping[str, Any], began_s: float) -> Iterator[News]:
    """One second of a bundle as a reading for each side, and one for the run itself."""
    at_s = began_s + second["t_s"]
    tallies = second["scenarios"].values()
    took_s = second["seconds"]
    values = {"users": float(second["users"])}
    if second["p95_ms"] is not None:
        values["p95_ms"] = second["p95_ms"]
    if took_s > 0:
        values["completed_per_s"] = sum(tally["completed"] for tally in tallies) / took_s
        values["failed_per_s"] = sum(tally["failed"] for tally in tallies) / took_s
    yield Reading(RUN, at_s, values)
    for side, figures in second["counters"].items():
        yield Reading(side, at_s, figures)
