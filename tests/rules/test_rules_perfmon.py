"""From a Perfmon log on disk to the verdict, as a person would ask for it."""

import json
from collections.abc import Callable
from pathlib import Path

import perfmon_logs
import pytest
from perfmon_logs import AT_WORK, BUSY_CPU, BUSY_DISK, SHORT_OF_MEMORY

from headcount.cli import diagnose_log
from headcount.counters.log.own_record import Header, Watched
from headcount.counters.log.own_writer import LogWriter
from headcount.errors import InputError

Diagnose = Callable[..., dict]


@pytest.fixture
def diagnose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Diagnose:
    """Diagnose a log in which these counters show trouble; the one machine's diagnosis."""

    def diagnose(troubled, part=(0.0, 1.0), log_options=None, **options) -> dict:
        log = perfmon_logs.write(tmp_path / "log.csv", troubled, part, **(log_options or {}))
        given = {"cpus": 1, "memory": "128MiB", **options}
        diagnose_log.diagnose_log([log], json=True, **given)
        (one,) = json.loads(capsys.readouterr().out)["diagnoses"]
        return one

    return diagnose


@pytest.mark.parametrize(
    ("troubled", "kind", "area"),
    [
        ({**SHORT_OF_MEMORY, **BUSY_DISK}, "limited", "memory"),
        (BUSY_DISK, "limited", "disk"),
        (BUSY_CPU, "limited", "cpu"),
        (AT_WORK, "clients", None),
        ({}, "idle", None),
    ],
    ids=["memory masked as disk", "disk", "cpu", "clients", "healthy"],
)
@pytest.mark.parametrize("part", [(0.0, 1.0), (0.3, 0.8)], ids=["all along", "half of the time"])
@pytest.mark.parametrize("profile", ["app-server", "file-server"])
def test_the_verdict(diagnose: Diagnose, troubled, kind, area, part, profile) -> None:
    if kind == "clients" and part != (0.0, 1.0):
        kind = "idle"  # half of 76% is not a machine at work
    verdict = diagnose(troubled, part, profile=profile)["verdict"]
    assert (verdict["kind"], verdict["area"]) == (kind, area)
    assert verdict["masked"] is (area == "memory")
    assert verdict["confidence"] == "clear"
    assert verdict["runner_up"] == ("disk" if area == "memory" else None)


def test_a_machine_of_today_is_not_judged_by_the_sizes_of_1998(diagnose: Diagnose) -> None:
    gib = 2.0**30
    large = {
        r"Memory\Available Bytes": 20 * gib,
        r"Memory\Committed Bytes": 30 * gib,
        r"Memory\Pages/sec": 400,
        r"System\Processor Queue Length": 3,
    }
    found = diagnose(large, cpus=16, memory="64GiB")
    assert found["verdict"]["kind"] == "idle"
    assert {one["strength"] for one in found["findings"]} == {"note"}


def test_the_times_are_those_of_the_trouble(diagnose: Diagnose) -> None:
    found = diagnose(BUSY_CPU, (0.25, 0.5))
    finding = next(one for one in found["findings"] if one["rule"] == "C-01")
    ((start_s, end_s),) = finding["spans"]
    started = perfmon_logs.START.timestamp()
    assert start_s == started + 60 * 15
    assert end_s == started + 119 * 15
    assert finding["share"] == pytest.approx(0.25)


def test_a_window_leaves_the_rest_out(diagnose: Diagnose) -> None:
    before = diagnose(BUSY_CPU, (0.5, 1.0), end="1998-11-23T09:29")
    assert before["verdict"]["kind"] == "idle"
    after = diagnose(BUSY_CPU, (0.5, 1.0), start="1998-11-23T10:31+01:00")
    assert after["verdict"]["area"] == "cpu"
    assert after["findings"][0]["share"] == 1


def test_the_profile_follows_from_the_counters_and_can_be_given(diagnose: Diagnose) -> None:
    assert diagnose({})["profile"] == "app-server"
    queue = {**perfmon_logs.QUIET, r"Server Work Queues(0)\Queue Length": 1}
    assert diagnose({}, log_options={"quiet": queue})["profile"] == "file-server"
    assert diagnose({}, profile="workstation")["profile"] == "workstation"


def test_missing_counters_are_listed_and_lower_the_confidence(diagnose: Diagnose) -> None:
    without = [name for name in perfmon_logs.QUIET if name.startswith("PhysicalDisk")]
    found = diagnose(BUSY_CPU, log_options={"left_out": without})
    assert found["verdict"]["confidence"] == "likely"
    assert found["verdict"]["not_judged"] == ["disk"]
    assert {"I-01", "I-02", "I-03"} <= {one["rule"] for one in found["not_judged"]}


def test_assumptions_are_reported(diagnose: Diagnose) -> None:
    found = diagnose({}, cpus=None, memory=None)
    notes = " ".join(found["notes"])
    for option in ("--cpus", "--memory", "--spindles", "--profile"):
        assert option in notes
    assert "--memory" not in " ".join(diagnose({})["notes"])


def test_rules_of_a_user_are_applied(diagnose: Diagnose, tmp_path: Path) -> None:
    rules = tmp_path / "own.toml"
    rules.write_text(
        """
[source.us]
title = "Our own experience"
short = "us"
[[advice]]
id = "U-1"
text = "Call Ada."
era = "modern"
source = "us"
[[rule]]
id = "OWN-1"
title = "CPU above 20 %"
area = "cpu"
strength = "proof"
era = "modern"
source = "us"
verdict = "It is about to happen."
advice = ["U-1"]
[rule.when]
counter = "system.cpu.utilization"
op = ">"
value = 20
unit = "%"
is = "mean"
""",
        "utf-8",
    )
    found = diagnose({}, rules=rules)
    assert found["verdict"]["evidence"] == ["OWN-1"]
    assert [one["text"] for one in found["advice"]] == ["Call Ada."]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[rule]", "not valid TOML"),
        ("[rules]\n", "unknown key `rules`"),
        ('[[rule]]\nid = "X"\n', "Field required"),
        ('[[source]]\nid = "own"\n', "[source.NAME]"),
        ("advice = 5\n", "[[advice]]"),
    ],
)
def test_a_damaged_file_of_rules_is_named(diagnose: Diagnose, tmp_path: Path, text, says) -> None:
    rules = tmp_path / "own.toml"
    rules.write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"own\.toml") as raised:
        diagnose({}, rules=rules)
    assert says in str(raised.value)


GOOD = """
[[rule]]
id = "X-1"
title = "X"
area = "cpu"
strength = "proof"
era = "modern"
source = "headcount"
verdict = "X."
[rule.when]
counter = "system.cpu.utilization"
value = 20
unit = "%"
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('source = "headcount"', 'source = "nobody"', "no source `nobody`"),
        ('"system.cpu.utilization"', '"system.cpu.use"', "no counter `system.cpu.use`"),
        ('unit = "%"', 'unit = "MB"', "does not match a counter"),
        ("value = 20", "", "a comparison has a value"),
        ('verdict = "X."', 'verdict = "X."\nadvice = ["A-99"]', "advice `A-99`"),
        ('verdict = "X."', 'verdict = "X."\nconflicts = ["Z"]', "rule `Z`"),
        (
            'counter = "system.cpu.utilization"',
            'fact = "cpus"\nno = {fact = "cpus", value = 1}',
            "exactly one",
        ),
    ],
)
def test_an_invalid_rule_is_refused(diagnose, tmp_path: Path, old, new, says) -> None:
    rules = tmp_path / "own.toml"
    rules.write_text(GOOD, "utf-8")
    diagnose({}, rules=rules)
    rules.write_text(GOOD.replace(old, new), "utf-8")
    with pytest.raises(InputError, match=r"own\.toml") as raised:
        diagnose({}, rules=rules)
    assert says in str(raised.value)


def test_a_machine_that_was_not_logged_in_the_part_asked_for_is_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.log"
    sources = [Watched(name=name, address=name) for name in ("fs1", "fs2")]
    writer = LogWriter(path, Header(at_s=0.0, headcount="0", interval_s=60.0, sources=sources))
    for minute in range(20):
        writer.sample("fs1" if minute < 10 else "fs2", 60.0 * minute, {"system.cpu.utilization": 1})
    writer.close()
    diagnose_log.diagnose_log([path], end="1970-01-01T00:09", json=True)
    printed = capsys.readouterr()
    assert [one["host"] for one in json.loads(printed.out)["diagnoses"]] == ["fs1"]
    assert "fs2 has no samples between --from and --to" in printed.err
    with pytest.raises(InputError, match="no samples between --from and --to"):
        diagnose_log.diagnose_log([path], start="1970-01-02", json=True)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"profile": "mainframe"}, "one of file-server"),
        ({"start": "yesterday"}, "write a time in UTC"),
        ({"start": "1998-11-23T10:00", "end": "1998-11-23T09:00"}, "before --to"),
        ({"start": "2020-01-01"}, "no samples between --from and --to"),
        ({"memory": "much"}, "--memory"),
        ({"output": Path("/nowhere/x.html")}, "cannot write"),
        ({"rules": Path("/nowhere/x.toml")}, "cannot be read"),
    ],
)
def test_bad_options_are_refused(diagnose: Diagnose, options, says) -> None:
    with pytest.raises(InputError) as raised:
        diagnose({}, **options)
    assert says in str(raised.value)


def test_on_the_terminal_the_answer_comes_first(tmp_path: Path, capsys) -> None:
    log = perfmon_logs.write(tmp_path / "log.csv", {**SHORT_OF_MEMORY, **BUSY_DISK}, (0.3, 0.8))
    diagnose_log.diagnose_log([log], cpus=1, memory="128MiB")
    shown = capsys.readouterr().out
    answer = shown.index("\nMemory limits this machine: there is too little of it.\n")
    why, what = shown.index("\nWhy\n"), shown.index("\nWhat to do first\n")
    assert answer < why < what
    assert shown[what:].count("\n  1. ") == shown[what:].count("\n  3. ") == 1
    assert "\n  4. " not in shown
    assert "[M-01, SAS 1998, pp. 11-12, historic]" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("M-02", "Cancelled by M-04"),
        ("t-17", "Another threshold: I-03"),
        ("system.disk.queue_length", "T-17 above 3 per spindle, on average"),
        ("Disk queue", "I-03 above 2 per spindle, consistently"),
        ("system.disk.queue_length{system.device=sda}", "I-03"),
        ("web.requests", "No rule has a threshold for it."),
    ],
)
def test_rules_and_counters_are_explained(capsys, name, says) -> None:
    diagnose_log.explain(name)
    assert says in " ".join(capsys.readouterr().out.split())


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        InputError, match="no rule, advice or counter is called `M-99`; the nearest"
    ):
        diagnose_log.explain("M-99")
