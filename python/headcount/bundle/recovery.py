"""Repair a bundle that a crash left, so that its run can continue.

What comes after the last finished level was written, but not flushed to the disk. A killed process
leaves all of it but the second under way. After a power failure any part may be missing, and zeros
are in its place. What comes before the first loss stays; the rest is cut off, and the event
`recovered` records what it was.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from headcount.bundle import events, hlog, series
from headcount.bundle.files import Lines, disk_error, dump, json_line, stored_lines
from headcount.output.folder import Folder

RECOVERED = "recovered"
"""The event's name."""
LOST = ("seconds", "histograms", "events")
"""What it counts: lines that were cut off."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The lines of a file that stay, and how many complete ones were cut off."""

    lines: list[bytes]
    lost: int


def recover(folder: Path, finished: int, at: str) -> None:
    """Cut off what a crash damaged, and mark the seconds of levels that will be run again.

    Without the mark a level would have the seconds of two attempts. The histogram log keeps both;
    their times tell them apart.

    Args:
        folder: The bundle, which nobody else is writing.
        finished: How many levels it keeps.
        at: The time now, UTC, ISO 8601.

    """
    lines = list(stored_lines(folder / series.LINES))
    seconds, log_bytes, histograms = _seconds(folder, lines, finished)
    happened = _events(folder, finished)
    if seconds.lost or happened.lost or histograms:
        event = {
            "at": at,
            "t_s": _end_s(seconds.lines),
            "event": RECOVERED,
            **dict(zip(LOST, (seconds.lost, histograms, happened.lost), strict=True)),
        }
        # Before anything is cut off, so that no crash leaves an unrecorded loss.
        _replace(folder, events.FILE, [*happened.lines, f"{dump(event)}\n".encode()])
    marked = [_marked(line, finished) for line in seconds.lines]
    if marked != lines:
        _replace(folder, series.LINES, marked)
    if log_bytes is not None:
        log = Lines(folder / hlog.FILE)
        try:
            log.cut(log_bytes)
            log.sync()
        finally:
            log.close()


def _seconds(folder: Path, lines: list[bytes], finished: int) -> tuple[Kept, int | None, int]:
    """The seconds that stay, the length to keep of the histogram log, and its damaged lines.

    The length is None if nothing of the log is cut off.
    """
    values = [_second(line) for line in lines]
    durable = 0
    for number, second in enumerate(values, start=1):
        if second and 0 < second["level"] <= finished and second["phase"] == "steady":
            durable = number
    log = _Log(folder / hlog.FILE, _intervals(values[:durable]))
    kept = durable
    while kept < len(lines) and lines[kept].endswith(b"\n") and log.has(values[kept]):
        kept += 1
    return (
        Kept(lines[:kept], _lost(lines[kept:])),
        log.whole(_intervals(values[:kept])),
        log.damaged,
    )


def _events(folder: Path, finished: int) -> Kept:
    lines = list(stored_lines(folder / events.FILE))
    values = [json_line(line) for line in lines]
    kept = 0
    for number, event in enumerate(values, start=1):
        if isinstance(event, dict) and event.get("event") == "level-end":
            level = event.get("level")
            kept = number if isinstance(level, int) and level <= finished else kept
    while kept < len(lines) and isinstance(values[kept], dict) and lines[kept].endswith(b"\n"):
        kept += 1
    return Kept(lines[:kept], _lost(lines[kept:]))


def _lost(lines: Sequence[bytes]) -> int:
    """How many of the lines at the end exceed what a killed process had under way."""
    return sum(line.endswith(b"\n") or b"\0" in line for line in lines)


class _Log:
    """The histogram log after the last finished level.

    Attributes:
        damaged: How many of its lines are not a histogram, except a torn last one.

    """

    def __init__(self, path: Path, finished: set[hlog.Interval]) -> None:
        """Read it; `finished` are the intervals of the finished levels."""
        self.damaged = 0
        self._is_there = path.exists()
        self._held: dict[hlog.Interval, set[str]] = {}
        self._lines: list[tuple[int, hlog.Interval]] = []
        """The first byte and interval of each whole line before the first damaged one."""
        self._damage: int | None = None
        """The first byte of the first damaged line."""
        behind = 0
        for number, (_, line) in enumerate(hlog.stored(path) if finished else (), start=1):
            fields = hlog.fields_of(line)
            if fields is not None and fields[1] in finished:
                behind = number
        for at, line in islice(hlog.stored(path), behind, None):
            self._take(at, line, hlog.fields_of(line))

    def _take(self, at: int, line: bytes, fields: tuple[str, hlog.Interval, str] | None) -> None:
        """Take the line that starts at a byte."""
        is_torn = not line.endswith(b"\n")
        if is_torn and b"\0" not in line:
            return  # what a killed process had under way
        if is_torn or fields is None or not hlog.is_histogram(fields[2]):
            self.damaged += 1
            self._damage = at if self._damage is None else self._damage
        elif self._damage is None:
            tag, interval, _ = fields
            self._held.setdefault(interval, set()).add(tag)
            self._lines.append((at, interval))

    def has(self, second: dict[str, Any] | None) -> bool:
        """Whether a second has all its histograms; always true without a log."""
        if second is None:
            return False
        interval = hlog.key(second["t_s"] - second["seconds"], second["seconds"])
        held = self._held.get(interval, set())
        return not self._is_there or held.issuperset(series.tags(second))

    def whole(self, kept: set[hlog.Interval]) -> int | None:
        """How many bytes hold the histograms of these intervals; None if that is all of them."""
        stray = next((at for at, interval in self._lines if interval not in kept), None)
        return min((at for at in (stray, self._damage) if at is not None), default=None)


def _intervals(values: Sequence[dict[str, Any] | None]) -> set[hlog.Interval]:
    """The intervals of some seconds."""
    return {
        hlog.key(second["t_s"] - second["seconds"], second["seconds"])
        for second in values
        if second is not None
    }


def _second(line: bytes) -> dict[str, Any] | None:
    """A second from its line; None if it is not one."""
    value = json_line(line)
    if not isinstance(value, dict) or not all(key in value for key in series.SECOND):
        return None
    return value


def _end_s(lines: Sequence[bytes]) -> float:
    """When the last of some lines of seconds ends; 0 without any."""
    seconds = (_second(line) for line in reversed(lines))
    return next((second["t_s"] for second in seconds if second is not None), 0.0)


def _marked(line: bytes, finished: int) -> bytes:
    """A line of the series, marked as belonging to no level if its level was not finished."""
    second = _second(line)
    if second is None or second["level"] <= finished:
        return line
    return f"{dump(second | {'level': 0, 'phase': series.ABANDONED})}\n".encode()


def _replace(folder: Path, name: str, lines: Sequence[bytes]) -> None:
    try:
        with Folder(folder) as opened, opened.replacing(name) as file:
            file.writelines(lines)
    except OSError as error:
        raise disk_error(folder / name, error) from error
