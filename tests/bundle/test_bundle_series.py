"""The seconds of a run and their histograms, written and read back."""

import base64
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headcount._engine import Histogram
from headcount.bundle import columns, hlog, series, table
from headcount.bundle.files import Lines, dump
from headcount.errors import InputError


def second(t_s: float, level: int, phase: str = "steady") -> dict[str, Any]:
    figures = {"completed": 10, "p95_ms": None, "response_s": 0.5}
    return {
        "t_s": t_s,
        "seconds": 1.0,
        "level": level,
        "phase": phase,
        "users": 3,
        "worker_cpu_s": [0.25, 0.5],
        "think_s": 2.0,
        "sessions_opened": 1,
        "backlog": 0,
        "backlog_s": 0.0,
        "backlog_overdue": 0,
        "p95_ms": 12.5,
        "scenarios": {"it's": figures},
        "steps": {"read": {"completed": 10}},
        "tasks": {"LOGIN": {"completed": 3, "squares_ms2": 1.5}},
        "faults": [[None, "connect", 2], ["read", "timeout", 1]],
        "counters": {"sut": {"system.cpu.utilization": 0.5}},
    }


def write(folder: Path, seconds: list[dict[str, Any]]) -> None:
    lines = Lines(folder / series.LINES)
    for value in seconds:
        lines.append(dump(value))
    lines.close()


def test_the_table_holds_every_figure(tmp_path: Path) -> None:
    folder = tmp_path / "it's a bundle"
    folder.mkdir()
    write(folder, [second(1.0, 1), second(2.0, 1)])
    table.close(folder)
    with duckdb.connect() as connection:
        rows = connection.execute(
            "SELECT side, of, name, value FROM read_parquet(?) WHERE t_s = 2 ORDER BY ALL",
            [str(folder / series.TABLE)],
        ).fetchall()
    assert rows == [
        ("faults", "", "connect", 2.0),
        ("faults", "read", "timeout", 1.0),
        ("run", "", "backlog", 0.0),
        ("run", "", "backlog_overdue", 0.0),
        ("run", "", "backlog_s", 0.0),
        ("run", "", "p95_ms", 12.5),
        ("run", "", "sessions_opened", 1.0),
        ("run", "", "think_s", 2.0),
        ("run", "", "worker_cpu_s", 0.75),
        ("scenarios", "it's", "completed", 10.0),
        ("scenarios", "it's", "response_s", 0.5),
        ("steps", "read", "completed", 10.0),
        ("sut", "", "system.cpu.utilization", 0.5),
        ("tasks", "LOGIN", "completed", 3.0),
        ("tasks", "LOGIN", "squares_ms2", 1.5),
    ]
    assert {path.name for path in folder.iterdir()} == {series.LINES, series.TABLE}


def rows(second: dict[str, Any]) -> list[tuple[Any, ...]]:
    """One second as rows of the table, figure by figure."""
    head = tuple(second[key] for key in ("t_s", "seconds", "level", "phase", "users"))
    run = {key: second[key] for key in columns.RUN} | {"worker_cpu_s": sum(second["worker_cpu_s"])}
    sides = [("run", {"": run | {key: second[key] for key in ("logging_on",) if key in second}})]
    sides += [(kind, second.get(kind, {})) for kind in ("scenarios", "steps", "tasks")]
    sides += [(side, {"": figures}) for side, figures in second["counters"].items()]
    sides += [("faults", {step or "": {kind: number}}) for step, kind, number in second["faults"]]
    return [
        (*head, side, of, name, float(value))
        for side, things in sides
        for of, figures in things.items()
        for name, value in figures.items()
        if value is not None
    ]


FIGURES = st.dictionaries(
    st.text("ab'\u00e4", min_size=1, max_size=3), st.none() | st.floats(-1e9, 1e9), max_size=3
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.lists(
        st.fixed_dictionaries(
            {"p95_ms": st.none() | st.integers(0, 99)},
            optional={
                "scenarios": st.dictionaries(st.sampled_from(["one", "it's"]), FIGURES),
                "tasks": st.just({}),
                "counters": st.dictionaries(st.sampled_from(["sut", "web1"]), FIGURES),
                "faults": st.just([["read", "timeout", 7]]),
                "logging_on": st.integers(0, 5),
            },
        ),
        min_size=1,
        max_size=12,
    ),
    most=st.integers(1, 60),
)
def test_the_table_has_the_rows_of_each_second_in_their_order(
    tmp_path: Path, changes: list[dict[str, Any]], most: int
) -> None:
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    seconds = [second(number, 1) | change for number, change in enumerate(changes)]
    write(folder, seconds)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "ROWS", most)
        table.close(folder)
    with duckdb.connect() as connection:
        query = "SELECT * FROM read_parquet(?)"
        found = connection.execute(query, [str(folder / series.TABLE)]).fetchall()
    expected = [row for second in seconds for row in rows(second)]
    assert found == expected
    totals: dict[tuple[str, str, str], tuple[int, float]] = {}
    for *_, side, of, name, value in expected:
        number, total = totals.get((side, of, name), (0, 0.0))
        totals[side, of, name] = (number + 1, total + value)
    for read in (table.totals_of_lines(folder), table.totals_of_table(folder)):
        assert isinstance(read, dict)
        assert read.keys() == totals.keys()
        for key, (number, total) in totals.items():
            assert read[key] == (number, pytest.approx(total, abs=1e-3))


def test_lines_that_are_not_seconds_are_left_out_of_the_totals(tmp_path: Path) -> None:
    write(tmp_path, [second(1.0, 1)])
    with (tmp_path / series.LINES).open("a", encoding="utf-8") as file:
        file.write('[]\n7\n{"t_s": 2}\n')
        file.write(dump(second(3.0, 1) | {"scenarios": {"it's": {"completed": [1]}}}) + "\n")
        file.write(dump(second(4.0, 1) | {"counters": "none"}) + "\n")
        file.write(dump(second(5.0, 1)) + "\n")
    totals = table.totals_of_lines(tmp_path)
    assert totals["scenarios", "it's", "completed"] == (2, 20.0)


def test_seconds_from_before_tasks_were_timed_are_still_read(tmp_path: Path) -> None:
    old = {key: value for key, value in second(1.0, 1).items() if key != "tasks"}
    write(tmp_path, [old, second(2.0, 1)])
    table.close(tmp_path)
    with duckdb.connect() as connection:
        rows = connection.execute(
            "SELECT DISTINCT t_s FROM read_parquet(?) WHERE side = 'tasks'",
            [str(tmp_path / series.TABLE)],
        ).fetchall()
    assert rows == [(2.0,)]


def test_a_run_without_a_second_has_no_table(tmp_path: Path) -> None:
    write(tmp_path, [])
    table.close(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {series.LINES}


def test_a_table_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    write(tmp_path, [second(1.0, 1)])
    (tmp_path / series.TABLE).mkdir()
    with pytest.raises(InputError, match=r"cannot write .*series.parquet: this is a folder"):
        table.close(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {series.LINES, series.TABLE}


def histogram(values: list[int]) -> Histogram:
    recorded = HdrHistogram(1, 3_600_000_000, 3)
    for value in values:
        recorded.record_value(value)
    return Histogram.decode(base64.b64decode(recorded.encode()))


def test_headcount_and_another_reader_read_the_log_back(tmp_path: Path) -> None:
    path = tmp_path / "histograms.hlog"
    first = hlog.HistogramLog(path)
    of_second = {"response/read, then write": histogram([100, 200, 300]), "lateness": histogram([])}
    first.append(0.0, 1.0, of_second)
    first.close()
    with path.open("ab") as torn:
        torn.write(b"Tag=lateness,1.000,1.000,0.0")
    later = hlog.HistogramLog(path)
    later.append(1.0, 0.5, {"step/lesen (groß)": histogram([1_000_000])})
    later.close()

    found = hlog.read(path)
    assert list(found) == ["response/read, then write", "step/lesen (groß)"]
    ((start_s, length_s, read),) = found["response/read, then write"]
    assert (start_s, length_s, read.count, read.max_us) == (0.0, 1.0, 3, 300)
    ((start_s, length_s, read),) = found["step/lesen (groß)"]
    assert (start_s, length_s, read.count) == (1.0, 0.5, 1)

    reader = HistogramLogReader(str(path), HdrHistogram(1, 3_600_000_000, 3))
    counts = []
    while (interval := reader.get_next_interval_histogram()) is not None:
        counts.append(interval.get_total_count())
        assert "," not in interval.get_tag()
        assert " " not in interval.get_tag()
    reader.close()
    assert counts == [3, 1]
    assert path.read_text("ascii").count("StartTime:") == 1


def test_the_log_says_when_the_clock_of_the_run_began(tmp_path: Path) -> None:
    path = tmp_path / "histograms.hlog"
    log = hlog.HistogramLog(path)
    log.append(99.0, 1.0, {"lateness": histogram([5])})
    log.close()
    reader = HistogramLogReader(str(path), HdrHistogram(1, 3_600_000_000, 3))
    interval = reader.get_next_interval_histogram()
    reader.close()
    assert reader.get_start_time_sec() == pytest.approx(time.time() - 100, abs=5)
    assert interval.get_start_time_stamp() / 1000 == pytest.approx(time.time() - 1, abs=5)


def test_a_log_torn_anywhere_is_read(tmp_path: Path) -> None:
    path = tmp_path / "histograms.hlog"
    log = hlog.HistogramLog(path)
    for start_s in range(5):
        log.append(start_s, 1.0, {"lateness": histogram([start_s + 1] * 5)})
    log.close()
    content = path.read_bytes()
    header = content.index(b"Tag=")
    for cut in range(header, len(content), 7):
        path.write_bytes(content[:cut])
        entries = hlog.read(path).get("lateness", [])
        whole = content[header:cut].count(b"\n")
        assert whole <= len(entries) <= whole + 1
        assert all(entry[2].count == 5 for entry in entries)
