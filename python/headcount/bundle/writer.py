"""A bundle under way: every second written through, every level summed up as it ends."""

import os
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from headcount._engine import Histogram
from headcount.bundle import confirmation, events, hlog, manifest, packed, recovery, series, table
from headcount.bundle import stacks as stack_files
from headcount.bundle.environment import EnvironmentFile
from headcount.bundle.files import Lines, disk_error, dump, lock_folder, replace
from headcount.bundle.level import LevelResult, Levels
from headcount.bundle.verdict import Verdict
from headcount.errors import HeadcountError
from headcount.foreign.file import PACKED
from headcount.output.folder import Folder


def now() -> str:
    """The time in UTC, ISO 8601, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


LONGEST_NAME = 200
"""Bytes of a bundle's name, before a number that makes it unique: file systems take 255, and
addresses may be longer."""


def new_folder(runs: Path, workload: str, target: str) -> Path:
    """Make a new folder for a run below `runs`, named by time, workload and target."""
    place = re.sub(r"[^\w.-]+", "-", target).strip("-")
    whole = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{workload}-{place}"
    stem = whole.encode()[:LONGEST_NAME].decode(errors="ignore").rstrip("-")
    try:
        runs.mkdir(parents=True, exist_ok=True)
        with Folder(runs.parent) as above:
            above.sync()
        with Folder(runs) as within:
            for attempt in range(100):
                name = stem if attempt == 0 else f"{stem}-{attempt}"
                try:
                    within.make(name)
                except FileExistsError:
                    continue
                return runs / name
    except OSError as error:
        raise disk_error(runs, error) from error
    raise FileExistsError(runs / stem)


GROWING = (events.FILE, hlog.FILE)
CONCLUSIONS = ("verdict.json", "report.html", confirmation.FILE, series.TABLE)
WHOLE = (
    *("plan.toml", "environment.json", "levels.json", "verdict.json", "report.html"),
    *(f"{series.LINES}{PACKED}", f"{hlog.FILE}{PACKED}"),
    *(series.LINES, series.TABLE, manifest.NAME, manifest.SIGNATURE, confirmation.FILE),
)


def _ensure_no_traps(folder: Path) -> None:
    """Raise InputError if a link or a pipe has the name of a file that will be written."""
    try:
        with Folder(folder) as opened:
            opened.ensure_free(*WHOLE, *(path.name for path in folder.glob("stacks-*")))
            opened.ensure_own(*GROWING)
    except OSError as error:
        raise disk_error(folder, error) from error


def _drop_conclusions(folder: Path) -> None:
    """Delete the leftovers and conclusions of a finished run, which no longer follow from it.

    Flushed to the disk: otherwise a power failure could bring them back beside later seconds.
    """
    manifest.drop(folder)
    with Folder(folder) as opened:
        for name in CONCLUSIONS:
            opened.remove(name)
        opened.remove_leftovers()
        opened.sync()


class BundleWriter:
    """Writes one run's bundle."""

    def __init__(self, folder: Path, finished: int = 0) -> None:
        """Open the bundle's growing files; an existing bundle is continued.

        `finished`: how many levels an existing bundle keeps. Raises InputError if another process
        is writing it.
        """
        self.folder = folder
        self._opened = ExitStack()
        try:
            self._open(finished)
        except OSError as error:
            self._opened.close()
            raise disk_error(folder / series.LINES, error) from error
        except BaseException:
            self._opened.close()
            raise

    def _open(self, finished: int) -> None:
        lock = lock_folder(self.folder)
        self._opened.callback(os.close, lock)
        _ensure_no_traps(self.folder)  # before anything is changed
        _drop_conclusions(self.folder)
        packed.unpack(self.folder)
        recovery.recover(self.folder, finished, now())
        self._events = Lines(self.folder / events.FILE)
        self._opened.callback(self._events.close)
        self._series = Lines(self.folder / series.LINES)
        self._opened.callback(self._series.close)
        self._histograms = hlog.HistogramLog(self.folder / hlog.FILE)
        self._opened.callback(self._histograms.close)

    def plan(self, toml: str) -> None:
        """Write the plan, as resolved."""
        replace(self.folder / "plan.toml", toml)

    def environment(self, environment: EnvironmentFile) -> None:
        """Write the disclosure of both sides."""
        replace(self.folder / "environment.json", environment.model_dump_json(indent=1))

    def event(self, name: str, t_s: float, **details: Any) -> None:
        """Append something that happened; `t_s` counts from the start of the run."""
        self._events.append(dump({"at": now(), "t_s": round(t_s, 3), "event": name, **details}))

    def second(
        self,
        figures: Mapping[str, Any],
        histograms: Mapping[str, Histogram],
    ) -> None:
        """Append one second: its figures, and its histograms by tag.

        If this fails, nothing of the second is in the bundle. The line comes last, so a second with
        a line has all its histograms, wherever the process is killed.
        """
        before = self._histograms.length, self._series.length
        start_s = figures["t_s"] - figures["seconds"]
        try:
            self._histograms.append(start_s, figures["seconds"], histograms)
            self._series.append(dump(figures))
        except BaseException:  # including a signal
            with suppress(HeadcountError):
                self._histograms.cut(before[0])
                self._series.cut(before[1])
            raise

    def sync(self) -> None:
        """Flush all events, seconds and histograms so far to the disk."""
        for part in (self._events, self._histograms, self._series):
            part.sync()

    def levels(self, levels: Sequence[LevelResult]) -> None:
        """Rewrite the summary of all levels finished so far.

        When this returns, those levels survive a power failure, with their seconds.
        """
        self.sync()
        replace(self.folder / "levels.json", Levels(levels=list(levels)).model_dump_json(indent=1))

    def stacks(self, stacks: stack_files.LevelStacks) -> str:
        """Write what a tool saw of a level's threads; returns the file's name."""
        return stack_files.write(self.folder, stacks)

    def verdict(self, verdict: Verdict) -> None:
        """Write the answer; when this returns, it and all its data survive a power failure."""
        self.sync()
        replace(self.folder / "verdict.json", verdict.model_dump_json(indent=1))

    def close(self) -> None:
        """Close the growing files, make the series' table, compress, and list all files."""
        with self._opened:
            self.sync()
            table.close(self.folder)
            packed.pack(self.folder)
            manifest.write(self.folder)
