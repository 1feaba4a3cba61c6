"""Writers with a defect, each of which some crash shows: the simulator finds what it should."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from crash_story import room, story

from headcount._engine import Histogram
from headcount.bundle import files, recovery, series, writer
from headcount.bundle.files import Lines, dump, read_lines
from headcount.bundle.writer import BundleWriter
from headcount.controller import run
from headcount.controller.session import Moment, Session
from headcount.errors import HeadcountError
from headcount.output.folder import Folder

kept_once = Session._keep
STORIES = 300
"""Enough for each defect to be found several times."""


def nothing(*_: Any, **__: Any) -> None:
    """A call that is left out."""


def line_first(
    self: BundleWriter, figures: Mapping[str, Any], histograms: Mapping[str, Histogram]
) -> None:
    """A second that has its line before its histograms."""
    self._series.append(dump(figures))
    self._histograms.append(figures["t_s"] - figures["seconds"], figures["seconds"], histograms)


def torn_lines_stay(self: Lines, line: str) -> None:
    """A line that is written on behind half of another."""
    try:
        rest = memoryview(line.encode() + b"\n")
        while rest:
            rest = rest[self._file.write(rest) or 0 :]
    except OSError as error:
        raise files.disk_error(self._path, error) from error
    self.length += len(line.encode()) + 1


def short_writes(self: Lines, line: str) -> None:
    """A line of which the rest of a short write is forgotten."""
    data = line.encode() + b"\n"
    try:
        self._file.write(data)
    except OSError as error:
        raise files.disk_error(self._path, error) from error
    self.length += len(data)


def all_is_kept(folder: Path, finished: int, _at: str) -> None:
    """A bundle that is opened again with what a crash damaged."""
    kept = [
        second | ({"level": 0, "phase": series.ABANDONED} if second["level"] > finished else {})
        for second in read_lines(folder / series.LINES)
    ]
    lines = "".join(f"{dump(second)}\n" for second in kept)
    files.replace(folder / series.LINES, lines)


def kept_twice(self: Session, moment: Moment, phase: str, level: int) -> None:
    """A second of the run that is written twice where its report came late."""
    for _ in range(2 if self.now_s() > self._offset_s + moment.interval.to_s + 1 else 1):
        kept_once(self, moment, phase, level)


def from_the_start(_spent_s: float) -> int:
    """A run that goes on with a clock that begins again."""
    return 0


DEFECTS: Mapping[str, tuple[int, Any, str, Callable[..., Any]]] = {
    "levels without their seconds": (0, Lines, "sync", nothing),
    "names not on the disk": (0, Folder, "sync", nothing),
    "a line before its histograms": (30, BundleWriter, "second", line_first),
    "torn lines that stay": (1150, Lines, "append", torn_lines_stay),
    "short writes": (0, Lines, "append", short_writes),
    "damage kept": (0, recovery, "recover", all_is_kept),
    "old conclusions kept": (30, writer, "_drop_conclusions", nothing),
}
"""From which story on it is looked for, and what is replaced by the defect."""


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, where, attribute, defect = DEFECTS[name]
    monkeypatch.setattr(where, attribute, defect)
    with room() as runs:
        assert any(story(first + seed, "bundle", runs).broken for seed in range(STORIES))


RUN_DEFECTS: Mapping[str, tuple[Any, str, Any]] = {
    "a second kept twice": (Session, "_keep", kept_twice),
    "a clock that begins again": (run, "math", SimpleNamespace(ceil=from_the_start)),
}


@pytest.mark.parametrize("name", RUN_DEFECTS)
def test_a_defect_of_the_controller_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, attribute, defect = RUN_DEFECTS[name]
    monkeypatch.setattr(where, attribute, defect)
    with room() as runs:
        assert any(story(seed, "controller", runs).broken for seed in range(STORIES))


def test_errors_that_are_not_explained_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def raised(_path: Path, error: OSError) -> HeadcountError:
        raise error

    monkeypatch.setattr(files, "disk_error", raised)
    with room() as runs:
        texts = (text for seed in range(STORIES) for text in story(seed, "bundle", runs).broken)
        assert any("OSError" in text for text in texts)
