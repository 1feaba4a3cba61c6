"""A bundle under way: every second written through, every level summed up as it ends."""

import os
import re
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from headcount._engine import Histogram
from headcount.bundle import confirmation, events, hlog, manifest, series, table
from headcount.bundle import stacks as stack_files
from headcount.bundle.environment import EnvironmentFile
from headcount.bundle.files import Lines, disk_error, dump, lock_folder, replace
from headcount.bundle.level import LevelResult, Levels
from headcount.bundle.verdict import Verdict
from headcount.errors import HeadcountError
from headcount.output.folder import Folder


def now() -> str:
    """The time in UTC, ISO 8601, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def new_folder(runs: Path, workload: str, target: str) -> Path:
    """Make a new folder for a run below `runs`, named by time, workload and target."""
    place = re.sub(r"[^\w.-]+", "-", target).strip("-")
    stem = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{workload}-{place}"
    try:
        runs.mkdir(parents=True, exist_ok=True)
        for attempt in range(100):
            folder = runs / (stem if attempt == 0 else f"{stem}-{attempt}")
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            return folder
    except OSError as error:
        raise disk_error(runs, error) from error
    raise FileExistsError(runs / stem)


GROWING = (events.FILE, hlog.FILE)
WHOLE = (
    *("plan.toml", "environment.json", "levels.json", "verdict.json", "report.html"),
    *(series.LINES, series.TABLE, manifest.NAME, manifest.SIGNATURE, confirmation.FILE),
)


def _ensure_no_traps(folder: Path) -> None:
    """Raise InputError where a link or a pipe has the name of a file that will be written."""
    try:
        with Folder(folder) as opened:
            opened.ensure_free(*WHOLE, *(path.name for path in folder.glob("stacks-*")))
            opened.ensure_own(*GROWING)
    except OSError as error:
        raise disk_error(folder, error) from error


class BundleWriter:
    """Writes one run's bundle."""

    def __init__(self, folder: Path, finished: int = 0) -> None:
        """Open the bundle's growing files; an existing bundle is continued.

        `finished`: how many levels an existing bundle keeps. Raises InputError when another process
        is writing it.
        """
        self.folder = folder
        self._lock = lock_folder(folder)
        try:
            _ensure_no_traps(folder)  # before anything is changed
            manifest.drop(folder)
            series.abandon(folder, finished)
            self._events = Lines(folder / events.FILE)
            self._series = Lines(folder / series.LINES)
            self._histograms = hlog.HistogramLog(folder / hlog.FILE)
        except HeadcountError:
            os.close(self._lock)
            raise

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
        """Append one second: its figures, and its histograms by tag."""
        self._series.append(dump(figures))
        start_s = figures["t_s"] - figures["seconds"]
        for tag, histogram in histograms.items():
            self._histograms.append(tag, start_s, figures["seconds"], histogram)

    def levels(self, levels: Sequence[LevelResult]) -> None:
        """Rewrite the summary of all levels finished so far."""
        replace(self.folder / "levels.json", Levels(levels=list(levels)).model_dump_json(indent=1))

    def stacks(self, stacks: stack_files.LevelStacks) -> str:
        """Write what a tool saw of a level's threads; returns the file's name."""
        return stack_files.write(self.folder, stacks)

    def verdict(self, verdict: Verdict) -> None:
        """Write the answer."""
        replace(self.folder / "verdict.json", verdict.model_dump_json(indent=1))

    def close(self) -> None:
        """Close the growing files, turn the series into its table, and list all files."""
        for part in (self._events, self._series, self._histograms):
            part.close()
        try:
            table.close(self.folder)
            manifest.write(self.folder)
        finally:
            os.close(self._lock)
