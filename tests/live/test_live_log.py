"""Headcount's own log: what is written is what is read, whatever happens in between."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_feeds import BUSY

from headcount.counters.log import own, read
from headcount.counters.log.own_record import Header, Marked, Watched
from headcount.counters.log.own_writer import LogWriter
from headcount.errors import InputError
from headcount.live.alert import Alerts, parse
from headcount.live.monitor import Monitor
from headcount.live.reading import Back, Lost, Reading, Remark
from headcount.live.recorder import Recorder
from headcount.live.records import Objects

HEAD = Header(
    at_s=1.0,
    headcount="0",
    interval_s=1.0,
    sources=[
        Watched(name="local", address="local", host="box", system="linux"),
        Watched(name="win", address="http://win:9182/metrics", system="windows"),
    ],
)
FIGURES = st.dictionaries(
    # Larger ones are taken for damage.
    st.text(min_size=1, max_size=12),
    st.floats(-1e98, 1e98),
    max_size=5,
)


@given(st.lists(FIGURES, min_size=1, max_size=8))
def test_what_is_written_is_read_to_nine_digits(
    tmp_path_factory: pytest.TempPathFactory, samples: list[dict[str, float]]
) -> None:
    path = tmp_path_factory.mktemp("log") / "own.log"
    writer = LogWriter(path, HEAD)
    for number, values in enumerate(samples):
        writer.sample("local", float(number), values)
    writer.close()
    (recording,) = read(path)
    assert [sample.at_s for sample in recording.samples] == list(map(float, range(len(samples))))
    for sample, values in zip(recording.samples, samples, strict=True):
        assert sample.values == pytest.approx(values, rel=1e-8)


def write_log(path: Path) -> None:
    monitor = Monitor(alerts=Alerts([parse("CPU busy>90%")]))
    monitor.expect("local", 1.0)
    monitor.expect("win", 1.0)
    recorder = Recorder(path, HEAD)
    for news in (
        Reading("local", 10.0, {BUSY: 0.5, "unheard.of": 3.0}),
        Reading("win", 10.5, {BUSY: 0.2}),
        Lost("win", 11.0, "connection refused"),
        Remark(12.0, "the batch job began"),
        Reading("local", 12.5, {BUSY: 0.95}),
        Back("win", 16.0),
        Reading("win", 16.0, {BUSY: 0.3}),
    ):
        assert recorder.take(monitor.take(news)) is None
    recorder.close()


def test_sources_bookmarks_alerts_and_silence_are_read_back(tmp_path: Path) -> None:
    write_log(tmp_path / "own.log")
    local, windows = read(tmp_path / "own.log")
    assert (local.host, local.system) == ("box", "linux")
    assert (windows.host, windows.system) == ("win", "windows")
    assert [sample.values for sample in local.samples] == [
        {BUSY: 0.5, "unheard.of": 3.0},
        {BUSY: 0.95},
    ]
    assert [(mark.at_s, mark.text) for mark in local.bookmarks] == [
        (12.0, "the batch job began"),
        (12.5, "alert raised: CPU busy>90% (system.cpu.utilization was 0.95)"),
    ]
    assert [mark.text for mark in windows.bookmarks] == ["the batch job began"]
    assert windows.notes == ("win did not answer for 5 s.",)
    assert local.unknown == ("unheard.of",)


def test_every_line_is_json_and_units_are_named_before_figures(tmp_path: Path) -> None:
    write_log(tmp_path / "own.log")
    lines = [json.loads(line) for line in (tmp_path / "own.log").read_text("utf-8").splitlines()]
    assert lines[0]["kind"] == "header"
    named: dict[str, int] = {}
    for line in lines[1:]:
        if line["kind"] == "columns":
            assert len(line["names"]) == len(line["units"])
            named[line["source"]] = len(line["names"])
        elif line["kind"] == "sample":
            assert len(line["values"]) == named[line["source"]]
    first = next(line for line in lines if line["kind"] == "columns")
    assert first["units"] == ["1", None]


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_torn_last_line_is_left_out_and_cut_off_by_the_next_writer(
    tmp_path: Path, cut: int
) -> None:
    path = tmp_path / "own.log"
    write_log(path)
    path.write_bytes(path.read_bytes()[:-cut])
    _, windows = read(path)
    assert len(windows.samples) == 1
    assert not any("damaged" in note for note in windows.notes)
    writer = LogWriter(path, HEAD)
    writer.sample("win", 20.0, {BUSY: 0.4})
    writer.close()
    _, windows = read(path)
    assert [sample.at_s for sample in windows.samples] == [10.5, 20.0]
    assert not any("damaged" in note for note in windows.notes)


def test_a_damaged_line_in_the_middle_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "own.log"
    write_log(path)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = b'{"kind":"sample"\n'
    path.write_bytes(b"".join(lines))
    local, _ = read(path)
    assert "1 damaged line was skipped." in local.notes


def test_samples_are_sorted_after_the_clock_went_back(tmp_path: Path) -> None:
    writer = LogWriter(tmp_path / "own.log", HEAD)
    for at_s in (5.0, 3.0, 4.0):
        writer.sample("local", at_s, {BUSY: at_s})
    writer.close()
    (recording,) = read(tmp_path / "own.log")
    assert [sample.values[BUSY] for sample in recording.samples] == [3.0, 4.0, 5.0]


def test_a_foreign_file_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Sir\n", "utf-8")
    with pytest.raises(InputError, match="not a log of headcount watch"):
        LogWriter(path, HEAD)
    assert path.read_text("utf-8") == "Dear Sir\n"


def test_a_log_that_another_watch_writes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.log"
    first = LogWriter(path, HEAD)
    first.sample("local", 10.0, {BUSY: 0.5})
    with pytest.raises(InputError, match="another headcount watch is writing"):
        LogWriter(path, HEAD)
    first.close()
    LogWriter(path, HEAD).close()
    (recording,) = read(path)
    assert [sample.at_s for sample in recording.samples] == [10.0]


@pytest.mark.parametrize("as_json", [False, True])
def test_a_side_of_a_run_that_no_header_lists_is_watched_and_logged(
    tmp_path: Path, as_json: bool
) -> None:
    path = tmp_path / "own.log"
    monitor = Monitor()
    monitor.expect("local", 1.0)
    objects, recorder = Objects(HEAD), Recorder(path, HEAD)
    lines: list[str] = []
    for news in (
        Reading("local", 1.0, {BUSY: 0.5}),
        Reading("line", 1.0, {"line.io": 7.0}),
        Reading("local", 2.0, {BUSY: 0.6}),
    ):
        happened = monitor.take(news)
        lines += objects.lines(happened, None)
        assert recorder.take(happened) is None
    recorder.close()
    if as_json:
        path.write_text("\n".join(lines) + "\n", "utf-8")
    local, far = read(path)
    assert [dict(one.values) for one in local.samples] == [{BUSY: 0.5}, {BUSY: 0.6}]
    assert [dict(one.values) for one in far.samples] == [{"line.io": 7.0}]
    assert far.host == "line"
    assert monitor.catalogue()["line"] == ["line.io"]


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        LogWriter(tmp_path / "none" / "own.log", HEAD)


def test_a_log_of_a_later_version_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "own.log"
    write_log(path)
    path.write_text(path.read_text("utf-8").replace('"version":1', '"version":2'), "utf-8")
    with pytest.raises(InputError, match="newer Headcount"):
        read(path)


def test_a_full_disk_is_reported_once_and_writing_goes_on_with_a_header(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "own.log", HEAD)
    monitor = Monitor()
    monitor.expect("local", 1.0)

    def take(at_s: float) -> str | None:
        return recorder.take(monitor.take(Reading("local", at_s, {BUSY: 0.5})))

    assert take(1.0) is None
    writer = recorder._writer
    whole, writer._file = writer._file, os.open("/dev/full", os.O_WRONLY)
    full = take(2.0)
    assert full is not None
    assert "the disk is full" in full
    assert take(3.0) is None
    os.close(writer._file)
    writer._file = whole
    again = take(4.0)
    assert again is not None
    assert "2 lines are missing" in again
    recorder.close()
    (recording,) = read(tmp_path / "own.log")
    assert [sample.at_s for sample in recording.samples] == [1.0, 4.0]


def test_objects_for_programs_are_a_log_too(tmp_path: Path) -> None:
    monitor = Monitor()
    monitor.expect("local", 1.0)
    objects = Objects(HEAD)
    lines: list[str] = []
    for news in (Reading("local", 1.0, {BUSY: 0.5, "b": 2.0}), Remark(2.0, "now")):
        lines += objects.lines(monitor.take(news), {("local", BUSY)})
    path = tmp_path / "objects.log"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    assert own.recognises(path, path.read_bytes())
    (recording,) = read(path)
    assert recording.samples[0].values == {BUSY: 0.5}
    assert recording.bookmarks[0].text == "now"
    LogWriter(path, HEAD).record(Marked(at_s=3.0, text="appended"))
    assert read(path)[0].bookmarks[-1].text == "appended"
