"""`headcount storage` as people and programs use it."""

import json
import re
import shlex
import sys
from fractions import Fraction
from typing import Any

import pytest
from typer.testing import CliRunner

from headcount import cli
from headcount.cli import line as line_of_typer
from headcount.cli.storage import app
from headcount.text import DASH

VERBS = [
    "latency",
    "rate",
    "access",
    "fragments",
    "cycles",
    "queue",
    "bus",
    "interfaces",
    "raid",
    "sort-memory",
    "gain",
]


WHOLE_MS = float(Fraction(73, 6) + Fraction(100_000_000 * 1000, 10_076_160))
"""100 MB in one piece: 8 ms, half a turn of 7,200 rpm, and the data at 10,076,160 bytes/s."""


def run(line: str) -> str:
    """What a command prints; its exceptions are raised."""
    shown = CliRunner().invoke(app, shlex.split(line), env={"COLUMNS": "200"})
    if shown.exception is not None:
        raise shown.exception
    return shown.output


def document(line: str) -> Any:
    return json.loads(run(f"{line} --json"))


def result(line: str, name: str) -> Any:
    return document(line)["answers"][name]["result"]


@pytest.mark.parametrize(
    ("line", "name", "value", "unit"),
    [
        ("latency --rpm 7200", "latency_ms", 25 / 6, "ms"),
        ("latency --latency 2.8ms", "rpm", 30_000 / 2.8, "rpm"),
        ("latency --latency 6ms", "rpm", 5000, "rpm"),
        (
            "rate --sectors-per-track 164 --rpm 7200",
            "sustained_rate_bytes_per_s",
            10_076_160,
            "bytes/s",
        ),
        ("rate --sectors-per-track 328 --rpm 7200", "track_bytes", 167_936, "bytes"),
        (
            "rate --sectors-per-track 164 --rpm 7200 --sector 4KiB",
            "sustained_rate_bytes_per_s",
            80_609_280,
            "bytes/s",
        ),
        ("access --seek 8ms --latency 2.8ms", "access_ms", 10.8, "ms"),
        ("access --seek 12ms --latency 6ms", "access_ms", 18, "ms"),
        ("access --seek 8ms --rpm 7200 --head-switch 500us", "access_ms", 38 / 3, "ms"),
        (
            "fragments --size 100MB --fragments 1 --rate 10.07616MB/s --seek 8ms --rpm 7200",
            "read_ms",
            WHOLE_MS,
            "ms",
        ),
        (
            "fragments --size 100MB --fragments 1000 --rate 10.07616MB --seek 8ms --rpm 7200",
            "read_ms",
            WHOLE_MS + 999 * 73 / 6,
            "ms",
        ),
        (
            "fragments --size 100MB --fragments 1000 --rate 10.07616MB --seek 8ms --rpm 7200",
            "one_piece_ms",
            WHOLE_MS,
            "ms",
        ),
        ("cycles --mhz 200 --wait 18ms", "cycle_ns", 5, "ns"),
        ("cycles --mhz 200 --wait 18ms", "lost_cycles", 3_600_000, "cycles"),
        ("cycles --mhz 100 --wait 18ms", "lost_cycles", 1_800_000, "cycles"),
        ("queue --length 2 --transfer 15ms", "queue_time_ms", 30, "ms"),
        ("queue --length 2 --per-second 100", "response_ms", 20, "ms"),
        ("bus --width 4 --clock 33", "bus_bytes_per_s", 132_000_000, "bytes/s"),
        ("bus --width 4 --clock 66", "bus_bytes_per_s", 264_000_000, "bytes/s"),
        ("bus --width 4 --clock 33 --rates 10MB/s,10MB,10MB,10MB", "bus_load", 40 / 132, "share"),
        ("interfaces", "wide_bytes_per_s", 40_000_000, "bytes/s"),
        ("raid --level 0/1 --drives 4 --size 4TB", "usable_bytes", 8e12, "bytes"),
        ("raid --level 5 --drives 4 --size 4TB", "usable_bytes", 12e12, "bytes"),
        ("raid --level 6 --drives 4 --size 1.5TiB", "usable_bytes", 3 * 2**40, "bytes"),
        ("raid --level 10 --drives 4 --iops 150 --reads 70%", "functional_iops", 6000 / 13, "IOPS"),
        ("raid --level 5 --drives 4 --iops 150 --reads 0.7", "functional_iops", 6000 / 19, "IOPS"),
        ("raid --level 7 --drives 5", "failures_survived", 3, "drives"),
        ("raid --level 7 --drives 5", "minimum_drives", 5, "drives"),
        ("raid --level 6 --drives 5", "write_penalty", 6, "accesses"),
        ("sort-memory --observation 100 --keys 9 --observations 1", "memory_bytes", 127.6, "bytes"),
        (
            "sort-memory --observation 184 --keys 9,8,20,30 --observations 1000000",
            "memory_bytes",
            290_400_000,
            "bytes",
        ),
        ("gain --before 57.8s --after 39.7s", "time_saved", 18.1 / 57.8, "share"),
        ("gain --before 2h30m --after 20m", "speed_up", 7.5, "times as fast"),
    ],
)
def test_answers_as_json(line: str, name: str, value: float, unit: str) -> None:
    answer = document(line)["answers"][name]
    assert answer["result"] == pytest.approx(value, rel=1e-9)
    assert answer["unit"] == unit
    assert re.match(r"[UDRS]-\d\d", answer["source"]) or answer["formula"] is None
    assert (answer["formula"] is None) == (answer["worked"] is None)


def test_a_whole_answer_as_json() -> None:
    assert document("raid --level 5 --drives 4 --size 4TB --iops 150 --reads 70%")["inputs"] == {
        "level": "5",
        "drives": 4,
        "copies": 1,
        "parity_drives": 1,
        "drive_bytes": 4 * 10**12,
        "drive_iops": 150,
        "reads": 0.7,
        "write_penalty": 4,
    }
    whole = document("sort-memory --observation 184 --keys 9,8,20,30 --observations 1000000")
    assert list(whole) == ["inputs", "answers", "advice"]
    assert whole["inputs"] == {
        "keys_bytes": [9, 8, 20, 30],
        "rounded_keys_bytes": [16, 8, 24, 32],
        "observation_bytes": 184,
        "observations": 1_000_000,
    }
    assert whole["answers"]["memory_bytes"]["formula"] == (
        "(rounded_keys_bytes + observation_bytes) * 1.1 * observations"
    )
    assert [one["rule"] for one in whole["advice"]] == ["S-05", "S-04"]
    assert all(one["text"] and one["source"] for one in whole["advice"])


def test_inputs_of_a_fragmented_file_are_listed() -> None:
    line = "fragments --size 100MB --fragments 7 --rate 10MB --seek 8ms --rpm 6000"
    assert document(line)["inputs"] == {
        "fragments": 7,
        "seek_ms": 8,
        "latency_ms": 5,
        "size_bytes": 100_000_000,
        "rate_bytes_per_s": 10_000_000,
        "rpm": 6000,
    }
    assert result(line, "read_ms") == 7 * 13 + 10_000
    assert result(line, "one_piece_ms") == 13 + 10_000


def test_levels_side_by_side_as_json() -> None:
    whole = document("raid --drives 4 --size 4TB --iops 150 --reads 70%")
    assert whole["inputs"] == {
        "drives": 4,
        "drive_bytes": 4 * 10**12,
        "drive_iops": 150,
        "reads": 0.7,
    }
    iops = {
        name: round(answers["functional_iops"]["result"], 1)
        for name, answers in whole["levels"].items()
        if "functional_iops" in answers
    }
    assert iops == {"0": 600, "1": 461.5, "0/1": 461.5, "5": 315.8, "6": 240}
    assert set(whole["levels"]) == {"0", "1", "0/1", "3", "4", "5", "6"}
    assert whole["left_out"] == {"7": "RAID 7 needs at least 5 drives, and there are 4"}
    assert document("raid --drives 2")["inputs"] == {"drives": 2}


def test_levels_side_by_side() -> None:
    shown = run("raid --drives 4 --size 4TB --iops 150 --reads 70%")
    rows = {row.split()[0]: row.split() for row in shown.splitlines()}
    assert rows["5"][-5:] == ["12.0", "TB", "316", "1", "4"]
    assert rows["4"][-5:] == ["12.0", "TB", DASH, "1", DASH]
    assert "Left out: RAID 7 needs at least 5 drives, and there are 4." in shown
    assert "capacity" not in run("raid --drives 4 --iops 150 --reads 70%")
    assert "IOPS" not in run("raid --drives 4 --size 4TB")


def test_an_answer_shows_its_formula_its_numbers_and_its_source() -> None:
    assert run("latency --rpm 7200").splitlines() == [
        "average rotational latency: 4.17 ms",
        "  1000 / (rpm / 60) / 2",
        "  1000 / (7,200 / 60) / 2 = 4.16667 ms",
        '  D-04: "Help! My NT Server Is Too Slow", SAS Institute, 1998, pp. 17-24',
    ]
    shown = run("sort-memory --observation 184 --keys 9,8,20,30 --observations 1000000")
    assert "((16 + 8 + 24 + 32) + 184) * 1.1 * 1,000,000 = 290,400,000 bytes" in shown
    shown = run("cycles --mhz 200 --wait 18ms")
    assert "18 * 1,000,000 / 5 = 3,600,000 cycles" in shown


def test_a_bus_is_full_or_not() -> None:
    assert "is not the bottleneck" in run("bus --width 4 --clock 33 --rates 10MB,10MB,10MB,10MB")
    assert "may become the bottleneck" in run("bus --width 4 --clock 33 --rates 66MB/s,40MB/s")
    assert "bottleneck" not in run("bus --width 4 --clock 33")


def test_a_long_queue_is_called_congestion() -> None:
    assert "congestion" not in run("queue --length 2 --transfer 15ms")
    assert "congestion" in run("queue --length 2.1 --transfer 15ms")


def test_interfaces_are_listed() -> None:
    shown = run("interfaces")
    rows = [line for line in shown.splitlines() if "wide SCSI FAST-40" in line]
    assert rows[0].split()[-3:] == ["80.0", "MB/s", "15"]
    listed = document("interfaces")["interfaces"]
    assert len(listed) == 11
    assert listed[3] == {
        "name": "Ultra DMA/33",
        "rate_bytes_per_s": 33.3e6,
        "drives": 4,
        "rule": "D-09",
    }


def test_every_verb_is_tested() -> None:
    shown = run("--help")
    assert re.findall(r"^│ ([a-z][a-z-]+) ", shown, re.MULTILINE) == VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_help_teaches_with_an_example_that_works(verb: str) -> None:
    shown = run(f"{verb} --help")
    (example,) = re.findall(r"Example: headcount storage (.+)", shown)
    assert example.startswith(verb)
    assert run(example) != ""
    assert json.loads(run(f"{example.strip()} --json"))["answers"]


def test_the_first_example_works() -> None:
    (example,) = re.findall(r"Start with: headcount storage (.+)", run("--help"))
    assert "RAID" in run(example)


@pytest.mark.parametrize("verb", VERBS)
def test_options_are_explained(verb: str) -> None:
    shown = run(f"{verb} --help")
    rows = [row for row in shown.splitlines() if re.match(r"│ [* ]* *--", row)]
    assert rows
    for row in rows:
        assert re.search(r"(<\w+>|-h +<bool>)\s+\S+ \S+", row), row


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("latency --rpm 0", "rpm is 0; it must be above 0, such as 7200"),
        (
            "latency --rpm 7200 --latency 2ms",
            "give either --rpm, such as 7200, or --latency, such as 4.17ms",
        ),
        ("access --seek 8ms", "give either --rpm, such as 7200, or --latency, such as 4.17ms"),
        ("access --seek 8 --rpm 7200", '--seek is "8"; write it like 200ms, 30s, 5m or 1h30m'),
        ("queue --length 2", "give --transfer, such as 15ms, or --per-second, such as 130"),
        (
            "bus --width 4 --clock 33 --rates 10MB,,10MB",
            'a device in --rates is ""; write it like 4096, 16KiB or 20MB',
        ),
        ("raid --level 5 --drives 4 --size 4XB", '--size is "4XB"; write it like'),
        (
            "raid --level 5 --drives 4 --size 4TB --iops 150",
            "give --iops and --reads together, such as --iops 150 --reads 70%",
        ),
        (
            "raid --level 5 --drives 4 --iops 150 --reads 120%",
            '--reads is "120%"; write it like 5% or 0.05, at most 100%',
        ),
        ("raid --level 5 --drives 2", "RAID 5 needs at least 3 drives, and there are 2"),
        ("raid --level 50 --drives 4", 'there is no RAID level "50"; did you mean "5"?'),
        (
            f"raid --level 5 --drives 4 --size {'9' * 400}",
            "--size is far too large; write it like 4096, 16KiB or 4TB",
        ),
        (
            f"raid --level 5 --drives 4 --size {'9' * 400}TB",
            "--size is far too large; write it like 4096, 16KiB or 4TB",
        ),
        (f"gain --before {'9' * 400}s --after 1s", "the time before is above 1e+18"),
        (
            "sort-memory --observation 184 --keys 9,x --observations 1",
            'a key in --keys is "x"; write it like',
        ),
    ],
)
def test_errors_are_one_message(
    line: str,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(line_of_typer, "app_of", lambda _verbs: app)
    monkeypatch.setattr(cli, "ENDS", ())
    monkeypatch.setattr(sys, "argv", ["headcount", *shlex.split(line)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert printed.out == ""
    assert printed.err.startswith(f"error: {message}")
    assert printed.err.count("\n") == 1
