"""A run under way, followed by what it writes each second."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from headcount.errors import InputError
from headcount.live.reading import News, Reading, Remark
from headcount.regular import open_regular

SECOND = ("t_s", "seconds", "users", "scenarios", "counters", "p95_ms")
EVENT = ("at", "t_s", "event")
"""What the lines of a run must have to be shown."""
FILES = ("series.ndjson", "events.ndjson")
"""What is followed of a bundle."""
RUN = "run"
"""The source of the run's own figures: users, response time, scenarios a second."""


class Tail:
    """The whole lines of JSON that a file has gained since it was last asked.

    Whatever else has its name, such as a link, has none.
    """

    def __init__(self, path: Path, keys: Sequence[str]) -> None:
        """Read nothing yet; the file need not be there yet either. Each line has these keys."""
        self._path = path
        self._keys = keys
        self._read = 0

    def new(self) -> list[dict[str, Any]]:
        """The lines since the last call; torn and damaged ones are passed over."""
        try:
            with open_regular(self._path) as file:
                file.seek(self._read)
                text = file.read()
        except (OSError, InputError):
            return []
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        found = []
        for line in whole.splitlines():
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict) and all(key in value for key in self._keys):
                found.append(value)
        return found


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
        self._done = over
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
