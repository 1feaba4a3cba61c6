"""Damaged logs: what is damaged is left out, and nothing else is lost."""

import json
from pathlib import Path

import numpy as np
import pytest

from headcount.analyse.rules.diagnosis import diagnose
from headcount.counters import log
from headcount.counters.log.moments import FIRST_S, LAST_S, possible
from headcount.counters.recording import Bookmark, Recording
from headcount.counters.source import Sample
from headcount.errors import InputError
from headcount.report.findings import log_sentences

CPU = "system.cpu.utilization"
HEADER = (
    '{"at_s":0,"kind":"header","format":"headcount watch","version":1,"headcount":"1",'
    '"interval_s":1,"sources":[{"name":"server","address":"local"}]}\n'
)
COLUMNS = r'"(PDH-CSV 4.0) (UTC)(0)","\\VM\Processor(_Total)\% Processor Time"'


def watched(path: Path, times_s: list[float]) -> Path:
    samples = [
        {"at_s": at_s, "kind": "sample", "source": "server", "values": {CPU: 0.02}}
        for at_s in times_s
    ]
    path.write_text(HEADER + "".join(f"{json.dumps(sample)}\n" for sample in samples))
    return path


def sar(path: Path, idle: list[float], seconds: list[int]) -> Path:
    written = [
        {
            "timestamp": {"date": "2026-01-01", "time": f"00:00:{second:02}", "utc": 1},
            "cpu-load": [{"cpu": "all", "user": 1.0, "iowait": 0.0, "idle": one}],
        }
        for one, second in zip(idle, seconds, strict=True)
    ]
    hosts = [{"nodename": "vm", "sysname": "Linux", "statistics": written}]
    path.write_text(json.dumps({"sysstat": {"hosts": hosts}}))
    return path


def perfmon(path: Path, *rows: str, encoding: str = "ascii") -> Path:
    path.write_bytes("".join(f"{row}\r\n" for row in (COLUMNS, *rows)).encode(encoding))
    return path


def row(second: int, value: str = "90.0") -> str:
    return f'"01/01/2026 00:00:{second:02}.000","{value}"'


def test_samples_at_impossible_times_are_skipped_and_counted(tmp_path: Path) -> None:
    times_s = [5.0, 1e17, 6.0, 1e300, -1e300, -1.0, 7.0]
    (found,) = log.read(watched(tmp_path / "a.log", times_s))
    assert [sample.at_s for sample in found.samples] == [5.0, 6.0, 7.0]
    assert [sample.values[CPU] for sample in found.samples] == [0.02] * 3
    assert found.notes[-1].startswith("4 samples have impossible times")
    assert "3 samples" in log_sentences.of_the_log(diagnose(found))


def test_the_first_and_last_possible_times_are_kept() -> None:
    samples = tuple(Sample(at_s, {CPU: 1.0}) for at_s in (FIRST_S, LAST_S))
    marks = (Bookmark(FIRST_S, "first"), Bookmark(LAST_S * 2, "never"))
    found = possible(Recording("a", "made", None, None, samples, bookmarks=marks))
    assert len(found.samples) == 2
    assert found.notes == ()
    assert [mark.text for mark in found.bookmarks] == ["first"]
    assert log_sentences.moments(FIRST_S, LAST_S).startswith("1 Jan 00:00 to ")


def test_a_log_of_a_header_alone_has_no_samples(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.log has no samples"):
        log.read(watched(tmp_path / "a.log", []))
    with pytest.raises(InputError, match="a header but no samples"):
        log.read(perfmon(tmp_path / "a.csv"))


def test_a_huge_line_is_skipped(tmp_path: Path) -> None:
    huge = '"' + "x" * 1_000_000 + '"'
    (found,) = log.read(perfmon(tmp_path / "a.csv", row(0), huge, row(1)))
    assert [sample.values[CPU] for sample in found.samples] == [0.9, 0.9]
    assert "Skipped 1 line between the samples." in found.notes


def test_a_share_that_is_not_a_number_is_absent(tmp_path: Path) -> None:
    idle = [float("nan"), 25.0, float("inf")]
    (found,) = log.read(sar(tmp_path / "a.json", idle, [0, 1, 2]))
    shares = [sample.values.get(CPU) for sample in found.samples]
    assert shares[:2] == [None, 0.75]
    path = sar(tmp_path / "b.json", [float("nan")] * 20, list(range(20)))
    decision = diagnose(log.read(path)[0]).decision
    assert (decision.confidence, decision.ruled_out) == ("none", ())


def test_samples_at_one_time_count_as_one(tmp_path: Path) -> None:
    (found,) = log.read(sar(tmp_path / "a.json", [2.0] * 50, [7] * 50))
    assert diagnose(found).decision.kind == "signs"
    (found,) = log.read(perfmon(tmp_path / "a.csv", *[row(0)] * 50))
    assert log_sentences.confidence(diagnose(found)) == "weak; only 1 sample"


def test_the_order_of_rows_and_their_encoding_do_not_matter(tmp_path: Path) -> None:
    rows = [row(second, f"{second}.5") for second in range(50)]
    (plain,) = log.read(perfmon(tmp_path / "a.csv", *rows))
    mixed = [rows[place * 37 % 50] for place in range(50)]
    (found,) = log.read(perfmon(tmp_path / "b.csv", *mixed))
    (wide,) = log.read(perfmon(tmp_path / "c.csv", *rows, encoding="utf-16"))
    comma = [one.replace('.5"', ',5"') for one in rows]
    (german,) = log.read(perfmon(tmp_path / "d.csv", *comma))
    wanted = [(second + 0.5) / 100 for second in range(50)]
    for one in (plain, found, wide, german):
        assert np.allclose([sample.values[CPU] for sample in one.samples], wanted)


@pytest.mark.parametrize("points", ['[[1, "3"], [2]]', '[[1, "x"]]', '[[null, "3"]]', "[7]", "7"])
def test_a_malformed_point_is_reported(tmp_path: Path, points: str) -> None:
    metric = '{"__name__": "node_load1"}'
    path = tmp_path / "a.json"
    path.write_text(
        '{"status": "success", "data": {"resultType": "matrix", "result": '
        f'[{{"metric": {metric}, "values": {points}}}]}}}}'
    )
    with pytest.raises(InputError, match="a point that is not a time and a value"):
        log.read(path)
