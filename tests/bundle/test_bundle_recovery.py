"""Bundles that a crash left are opened again: what is whole stays, and a loss is reported."""

import base64
import errno
import os
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram

from headcount._engine import Histogram
from headcount.bundle import events, hlog, series
from headcount.bundle.writer import BundleWriter
from headcount.errors import SystemLimitError

LINE_BYTES = 100
"""Less than any second's line."""


def histogram() -> Histogram:
    recorded = HdrHistogram(1, 3_600_000_000, 3)
    recorded.record_value(1000)
    return Histogram.decode(base64.b64decode(recorded.encode()))


TAGS = ("lateness", "response/read", "service/read")


def second(t_s: float, level: int, phase: str = "steady") -> dict[str, Any]:
    scenario = {"completed": 1, "pending": 0}
    common = {"t_s": t_s, "seconds": 1.0, "level": level, "phase": phase, "users": 3}
    return {**common, "backlog": 0, "scenarios": {"read": scenario}, "steps": {}, "counters": {}}


def write(folder: Path, seconds: list[dict[str, Any]]) -> None:
    """Write a run like a process that is killed after the last of these seconds."""
    writer = BundleWriter(folder)
    for one in seconds:
        writer.second(one, dict.fromkeys(TAGS, histogram()))
    writer.event("level-end", seconds[-1]["t_s"], level=1)
    writer._opened.close()


def losses(folder: Path) -> list[tuple[int, int, int]]:
    found = [one for one in events.read(folder) if one["event"] == "recovered"]
    return [(one["seconds"], one["histograms"], one["events"]) for one in found]


def reopen(folder: Path, finished: int) -> None:
    BundleWriter(folder, finished)._opened.close()


FINISHED = [second(1.0, 1), second(2.0, 1), second(3.0, 1, "wait")]


def test_seconds_of_an_unfinished_level_belong_to_no_level(tmp_path: Path) -> None:
    write(tmp_path, [*FINISHED, second(4.0, 2, "ramp"), second(5.0, 2)])
    for _ in range(2):
        reopen(tmp_path, 1)
        kept = series.read(tmp_path)
        assert kept[:3] == FINISHED
        assert kept[3:] == [second(4.0, 0, series.ABANDONED), second(5.0, 0, series.ABANDONED)]
        assert losses(tmp_path) == []


def test_histograms_of_a_second_without_a_line_are_cut_off(tmp_path: Path) -> None:
    write(tmp_path, [*FINISHED, second(4.0, 2)])
    path = tmp_path / series.LINES
    path.write_bytes(path.read_bytes()[:-1])  # killed before its line was whole
    reopen(tmp_path, 1)
    assert series.read(tmp_path) == FINISHED
    starts = [start_s for start_s, _, _ in hlog.read(tmp_path / hlog.FILE)["response/read"]]
    assert starts == [0.0, 1.0, 2.0]
    assert losses(tmp_path) == []


@pytest.mark.parametrize("name", [series.LINES, hlog.FILE])
def test_seconds_after_a_loss_are_cut_off_and_reported(tmp_path: Path, name: str) -> None:
    write(tmp_path, [*FINISHED, second(4.0, 2), second(5.0, 2), second(6.0, 2)])
    path = tmp_path / name
    lines = path.read_bytes().splitlines(keepends=True)
    behind = 4 if name == series.LINES else len(lines) - 2 * len(TAGS)  # of the fifth second
    lines[behind] = bytes(len(lines[behind]))  # zeros, where nothing was written
    path.write_bytes(b"".join(lines))
    reopen(tmp_path, 1)
    assert series.read(tmp_path) == [*FINISHED, second(4.0, 0, series.ABANDONED)]
    log = hlog.read(tmp_path / hlog.FILE)
    assert {tag: len(found) for tag, found in log.items()} == dict.fromkeys(TAGS, 4)
    ((seconds, histograms, _),) = losses(tmp_path)
    assert (seconds > 0, histograms > 0) == (True, name == hlog.FILE)


def test_damage_of_a_finished_level_is_left_in_place(tmp_path: Path) -> None:
    write(tmp_path, FINISHED)
    path = tmp_path / series.LINES
    damaged = path.read_bytes().replace(b'"t_s":1.0', b'"t_s":1;0')
    path.write_bytes(damaged)
    reopen(tmp_path, 1)
    assert path.read_bytes() == damaged


def test_a_second_that_cannot_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = BundleWriter(tmp_path)
    writer.second(second(1.0, 1), dict.fromkeys(TAGS, histogram()))
    before = {name: (tmp_path / name).read_bytes() for name in (series.LINES, hlog.FILE)}

    class Full:
        """Takes a part, and then no more."""

        def __init__(self, file: Any) -> None:
            self.file = file

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

        def write(self, rest: memoryview) -> int:
            if len(rest) <= LINE_BYTES:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return int(self.file.write(rest[: len(rest) - LINE_BYTES]))

    with monkeypatch.context() as patch:
        patch.setattr(writer._series, "_file", Full(writer._series._file))
        with pytest.raises(SystemLimitError, match="the disk is full"):
            writer.second(second(2.0, 1), dict.fromkeys(TAGS, histogram()))
    assert {name: (tmp_path / name).read_bytes() for name in before} == before
    writer.second(second(2.0, 1), dict.fromkeys(TAGS, histogram()))
    writer._opened.close()
    assert [one["t_s"] for one in series.read(tmp_path)] == [1.0, 2.0]


def test_resuming_a_run_removes_files_derived_from_it(tmp_path: Path) -> None:
    write(tmp_path, FINISHED)
    derived = ("verdict.json", "report.html", series.TABLE, "manifest.json")
    for name in derived:
        (tmp_path / name).write_bytes(b"old")
    (tmp_path / ".headcount-0123.new").write_bytes(b"half")
    (tmp_path / ".headcount-own").mkdir()
    reopen(tmp_path, 1)
    assert {path.name for path in tmp_path.iterdir()} == {series.LINES, hlog.FILE, events.FILE}
