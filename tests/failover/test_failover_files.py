"""The files of a failover: what happened when, and what is made of it."""

import gzip
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from failover_file import WRITES, failover, outage
from headcount import workloads
from headcount.bundle import failover as record
from headcount.bundle import moments
from headcount.errors import InputError
from headcount.plan.resolve import Overrides, resolve
from headcount.report.document import outage_tables
from headcount.report.failover import command, headline, typical
from headcount.report.figures import outage as figure
from headcount.text import DASH


def test_rows_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    rows = moments.merged(
        [(0.02, 1, 0, 0, 1, 0, 1), (0.01, 2, 1, 0, 2, 0, 0), (0.02, 3, 0, 1, 0, 4, 0)]
    )
    assert rows == [(0.01, 2, 1, 0, 2, 0, 0), (0.02, 4, 0, 1, 1, 4, 1)]
    name = moments.write(tmp_path, 7, rows)
    assert name == "moments-007.csv.gz"
    assert moments.read(tmp_path, 7) == rows
    assert moments.read(tmp_path, 8) is None
    assert [path.name for path in moments.files(tmp_path)] == [name]


@pytest.mark.parametrize(
    "text", ["", "at_s,completed\n1,2\n", f"{','.join(moments.COLUMNS)}\n1,x\n"]
)
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / moments.file_name(1)
    path.write_bytes(gzip.compress(text.encode()))
    with pytest.raises(InputError, match=r"moments-001\.csv\.gz is damaged"):
        moments.read(tmp_path, 1)
    path.write_bytes(b"no gzip")
    with pytest.raises(InputError, match="is damaged"):
        moments.read(tmp_path, 1)


def test_a_record_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    found = failover(outage(1), outage(2, None, answered_s=None, restored_s=None))
    record.write(found, tmp_path)
    assert record.read(tmp_path) == found
    (tmp_path / record.FILE).write_text("{}")
    with pytest.raises(InputError, match="is damaged at"):
        record.read(tmp_path)


def test_the_answer_says_what_was_felt() -> None:
    felt = [outage(at, 1.0 + at / 10) for at in range(1, 8)]
    found = failover(*felt)
    assert found.sentence == (
        "Nobody got an answer for 800 ms (median; 95% interval 800 to 800 ms, longest 800 ms) in "
        "7 repetitions. Users were served within their limits again after 1.40 s (median; 95% "
        "interval 1.10 to 1.70 s, longest 1.70 s); 10 scenarios failed (median)."
    )
    assert headline(found) == "1.40 s until served again"
    assert typical(found.outages) == felt[3]
    nothing = {"silent_s": 0.0, "answered_s": 0.0, "silence_began_s": None, "lost": 0}
    calm = failover(*(outage(at, 0.0, **nothing) for at in range(1, 4)))
    assert calm.sentence == (
        "Answers never stopped in 3 repetitions, and users were served within their limits "
        "throughout; no scenario failed."
    )
    assert headline(calm) == "no outage"


def test_users_who_do_not_return_are_reported_away() -> None:
    away = {"answered_s": None, "restored_s": None, "silent_s": 20.0}
    found = failover(outage(1, None, **away), outage(2, None, **away), outage(3))
    assert "Users were not back in 2 of them" in found.sentence
    assert headline(found) is None
    table = outage_tables.felt(found)
    assert table is not None
    assert [cell.text for cell in table.rows[1].cells][1] == "never"


def test_repetitions_that_do_not_count_are_in_no_figure() -> None:
    bad = outage(1, 99.0, outcome="invalid", reasons=["users were not served before the fault"])
    found = failover(bad)
    assert found.spreads == []
    assert found.sentence == "No repetition counts, so nothing is known about this fault"
    assert typical(found.outages) is None
    table = outage_tables.repetitions(found)
    assert table is not None
    assert table.rows[0].why == "It does not count: users were not served before the fault."


def test_writes_that_are_not_known_are_a_dash() -> None:
    table = outage_tables.repetitions(failover(outage(1, writes=WRITES), outage(2)))
    assert table is not None
    assert [row.cells[-1].text for row in table.rows] == ["12", DASH]


def test_the_chart_has_the_rates_of_the_outage_in_the_middle() -> None:
    rows: list[moments.Row] = [
        (9.0 + at / 100, 1, 0, 0, 1, 0, 0) for at in range(100)
    ]  # 100/s, then nothing
    rows += [(10.5, 0, 0, 7, 0, 7, 0), *((11.0 + at / 100, 2, 0, 0, 2, 0, 0) for at in range(400))]
    drawn = figure.figure(failover(outage(1)), rows)
    assert drawn is not None
    found = {row[0]: row[1:] for row in drawn.table.rows}
    by_time = {float(at): tuple(values) for at, values in found.items()}
    before = [values for at, values in by_time.items() if -1 < at < 0]
    after = [values for at, values in by_time.items() if 1.05 < at < 4.9]
    assert before
    assert set(before) == {("100", "0")}
    assert set(after) == {("200", "0")}
    assert "second" in drawn.alt


def test_the_command_that_repeats_it_plays_the_same_load() -> None:
    asked = Overrides(
        users=5,
        pace="uniform:200ms..600ms",
        settle="3s",
        ramp="0s",
        criteria=["overload<20%", "p95<=1s"],
        agents=2,
        local_ips=["10.0.0.1", "10.0.0.2"],
        server={"check_ms": "500"},
        client={"cookies": "off"},
    )
    plan = resolve(workloads.load("web-static"), "lab:ha-web", asked)
    words = shlex.split(command(failover(outage(1)), plan))
    options = set(pairwise(words))
    assert words[:5] == ["headcount", "failover", "web-static", "--target", "lab:ha-web"]
    assert options >= {
        ("--pace", "uniform:200ms..600ms"),
        ("--settle", "3s"),
        ("--ramp", "0s"),
        ("--criteria", "overload<20% p95<=1s"),
        ("--agents", "2"),
        ("--local-ips", "10.0.0.1,10.0.0.2"),
        ("--set", "check_ms=500"),
        ("--client", "cookies=off"),
        ("--fault", "kill"),
    }
    think = Overrides(users=5, think="exponential:2s")
    plan = resolve(workloads.load("web-static"), "lab:ha-web", think)
    assert "--think exponential:2s" in command(failover(outage(1)), plan)
