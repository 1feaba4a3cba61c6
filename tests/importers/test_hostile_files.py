"""Files that were made to harm, or are something else: one sentence that names the file."""

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from har_files import entry, written
from typer.testing import CliRunner

from command_line import app
from headcount.cli import run_line
from headcount.errors import ExitCode
from headcount.importers.har import recording
from headcount.importers.recorded_journey import recorded_journey
from headcount.importers.workload_text import workload_text

Make = Callable[[Path], object]

RECORDINGS: dict[str, tuple[Make, str]] = {
    "deep": (lambda path: path.write_bytes(b"[" * 200_000), "nested too deeply"),
    "binary": (lambda path: path.write_bytes(os.urandom(4096) + b"\xff\x00"), "not UTF-8 text"),
    "latin": (lambda path: path.write_bytes('{"name": "é"}'.encode("latin-1")), "UTF-8"),
    "empty": (lambda path: path.write_bytes(b""), "not JSON"),
    "other": (lambda path: path.write_text('{"log": {"entries": 7}}'), "log.entries"),
    "sparse": (lambda path: (path.touch(), os.truncate(path, 40 << 30)), "268,435,456"),
    "pipe": (os.mkfifo, "a pipe"),
    "folder": (lambda path: path.mkdir(), "a folder"),
    "numbers": (lambda path: path.write_text("[" + "9" * 5000 + "]"), "digits"),
    "nothing": (lambda path: path.write_text('{"log": {"entries": []}}'), "no request"),
    "address": (
        lambda path: written(path.parent, entry("", site="http://[bad")).rename(path),
        "entry 1 of log.entries",
    ),
    "port": (
        lambda path: written(path.parent, entry("", site="http://h:x")).rename(path),
        "entry 1 of log.entries",
    ),
    "time": (
        lambda path: written(path.parent, entry("/") | {"startedDateTime": "noon"}).rename(path),
        "startedDateTime",
    ),
    "nulls": (
        lambda path: path.write_text('{"log": {"entries": [null, 1, {"request": []}]}}'),
        "entry 1",
    ),
}


@pytest.mark.parametrize("kind", RECORDINGS)
def test_a_file_that_is_not_a_recording_is_one_sentence(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make, reason = RECORDINGS[kind]
    path = tmp_path / "odd.har"
    make(path)
    output = tmp_path / "out.toml"
    assert run_line(["import", "har", str(path), "-o", str(output)]) == ExitCode.BAD_INPUT
    shown = capsys.readouterr().err
    assert reason in " ".join(shown.split())
    assert "Traceback" not in shown
    assert not output.exists()


def test_names_and_values_of_a_stranger_cannot_become_keys(tmp_path: Path) -> None:
    bad = 'x"\n[[scenarios]]\nname = "evil"\n# {n} \ue000n\ue001 \x7f \u2028'
    path = written(
        tmp_path,
        entry(
            "/a",
            method="POST",
            sent=json.dumps({bad: bad, "a.b": {bad: [bad]}}),
            sent_mime="application/json",
            headers={"X-Odd": bad, "Cookie": f"{bad}=1"},
        ),
        entry("/b", site="https://other.example"),
    )
    workload = tomllib.loads(workload_text(recorded_journey(recording(path))))
    assert len(workload["scenarios"]) == 1
    (step,) = workload["scenarios"][0]["steps"]
    (value,) = step["json"]["a.b"].values()
    assert "{{n}" in value[0]
    assert "{n}" not in value[0].replace("{{n}", "")


def test_a_recording_in_utf_16_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, entry("/grüße"))
    path.write_bytes(path.read_text("utf-8").encode("utf-16"))
    (one,) = recording(path).exchanges
    assert one.path == "/grüße"


def test_many_values_are_found_in_reasonable_time(tmp_path: Path) -> None:
    rows = [{"id": f"row-{number:06}", "name": "a" * 40} for number in range(20_000)]
    entries = [entry("/rows", reply={"rows": rows})]
    entries += [entry(f"/rows/row-{number:06}", reply="a" * 100_000) for number in range(60)]
    path = written(tmp_path, *entries)
    journey = recorded_journey(recording(path))
    assert len(journey.correlations) == 60


def test_an_existing_file_is_not_replaced_without_o(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, entry("/"))
    assert CliRunner().invoke(app, ["import", "har", str(path)]).exit_code == 0
    assert tomllib.loads(Path("shop-example.toml").read_text("utf-8"))["name"] == "shop-example"
    Path("shop-example.toml").write_text("mine", "utf-8")
    shown = CliRunner().invoke(app, ["import", "har", str(path)])
    assert "name the file to write with -o" in str(shown.exception)
    assert Path("shop-example.toml").read_text("utf-8") == "mine"


SCRIPTS: dict[str, tuple[str, str]] = {
    "quotes": ("'" * 2_000_001, ""),
    "comments": ("SELECT 1; " + "/*" * 1_000_000, ""),
    "tags": ("SELECT " + "".join(f"$t{n}$" for n in range(300_000)), ""),
    "statements": ("SELECT 1;\n" * 100_000, "the most that are imported"),
    "deep": ("\\set a " + "(" * 100_000 + "\nSELECT :a;", ""),
    "long": ("\\set a 1" + "+1" * 100_000 + "\nSELECT :a;", ""),
    "growing": ("\\set a 9999999\n" + "\\set a :a * :a\n" * 200 + "SELECT :a;", ""),
    "infinite": ("\\set a random(1, " + "9" * 400 + ".0)\nSELECT :a;", ""),
}


@pytest.mark.parametrize("kind", SCRIPTS)
def test_a_script_made_to_harm_is_read_or_one_sentence(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script, reason = SCRIPTS[kind]
    path, output = tmp_path / "odd.sql", tmp_path / "out.toml"
    path.write_text(script, "utf-8")
    code = run_line(["import", "pgbench", str(path), "-o", str(output)])
    shown = capsys.readouterr().err
    assert "Traceback" not in shown
    if reason:
        assert code == ExitCode.BAD_INPUT
        assert reason in " ".join(shown.split())
    else:
        assert tomllib.loads(output.read_text("utf-8"))["protocol"] == "sql"
