"""Files that are not what they should be: bundles, plans and other TOML, each with one error."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from headcount.cli import run_line
from headcount.errors import ExitCode


def written(name: str, contents: bytes) -> Callable[[Path], object]:
    return lambda bundle: (bundle / name).write_bytes(contents)


def cut(name: str) -> Callable[[Path], object]:
    return lambda bundle: os.truncate(bundle / name, 100)


def changed(name: str, old: str, new: str) -> Callable[[Path], object]:
    def change(bundle: Path) -> None:
        text = (bundle / name).read_text("utf-8")
        assert old in text
        (bundle / name).write_text(text.replace(old, new, 1), "utf-8")

    return change


def replaced_by_folder(bundle: Path) -> None:
    (bundle / "levels.json").unlink()
    (bundle / "levels.json").mkdir()


SERIES = "series.ndjson is damaged: line 1 is not a second of a run (headcount audit"
EVENTS = "events.ndjson is damaged: line 1 is not an event (headcount audit"
DAMAGE: dict[str, tuple[Callable[[Path], object], tuple[str, ...], str]] = {
    "truncated levels": (cut("levels.json"), ("show", "b"), "b/levels.json is damaged"),
    "foreign levels": (written("levels.json", b"{}"), ("show", "b"), "damaged at levels"),
    "foreign verdict": (written("verdict.json", b"[]"), ("report", "b"), "b/verdict.json is"),
    "environment": (written("environment.json", b"x"), ("compare", "b", "b"), "environment.json"),
    "a folder": (replaced_by_folder, ("show", "b"), "levels.json cannot be read: it is a folder"),
    "newer levels": (
        changed("levels.json", '"schema_version": 1', '"schema_version": 9'),
        ("diagnose", "b"),
        "its schema version is 9, and this one reads 1; upgrade Headcount",
    ),
    "newer plan": (
        changed("plan.toml", "format = 1", "format = 9"),
        ("show", "b"),
        "written by a newer Headcount: its format is 9, and this one reads 1; upgrade Headcount",
    ),
    "truncated plan": (cut("plan.toml"), ("show", "b"), "b/plan.toml is not valid TOML"),
    "foreign plan": (written("plan.toml", b'{"a":1}'), ("show", "b"), "is not valid TOML"),
    "binary plan": (written("plan.toml", b"\xff\xff"), ("show", "b"), "line 1 is not UTF-8 text"),
    "report": (written("series.ndjson", b'{"t_s":1}\n'), ("report", "b"), SERIES),
    "report --pdf": (written("series.ndjson", b"5\n"), ("report", "b", "--pdf", "r.pdf"), SERIES),
    "diagnose": (written("series.ndjson", b"5\n"), ("diagnose", "b"), SERIES),
    "export": (written("series.ndjson", b"5\n"), ("export", "b", "b.md", "b.prom"), SERIES),
    "compare": (written("series.ndjson", b"5\n"), ("compare", "b", "b"), SERIES),
    "gate": (written("series.ndjson", b"5\n"), ("gate", "b", "--baseline", "b"), SERIES),
    "events": (written("events.ndjson", b"5\n"), ("diagnose", "b"), EVENTS),
    "no seconds": (
        lambda bundle: (bundle / "series.ndjson").unlink(),
        ("export", "b", "b.md", "b.prom"),
        "has no seconds",
    ),
    "no environment": (
        lambda bundle: (bundle / "environment.json").unlink(),
        ("report", "b", "-o", "r.html"),
        "has no environment.json, without which there is no report; copy the whole folder",
    ),
}


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_bundle_is_one_error_and_nothing_is_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    finished_run: Path,
    name: str,
) -> None:
    damage, line, text = DAMAGE[name]
    monkeypatch.chdir(tmp_path)
    shutil.copytree(finished_run, "b")
    damage(Path("b"))
    before = files(tmp_path)
    assert run_line(line) == ExitCode.BAD_INPUT
    shown = capsys.readouterr()
    assert text in " ".join(shown.err.split())
    assert shown.err.count("error:") == 1
    assert files(tmp_path) == before


def test_watching_skips_invalid_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], finished_run: Path
) -> None:
    bundle = tmp_path / "b"
    shutil.copytree(finished_run, bundle)
    for file in (bundle / "series.ndjson", bundle / "events.ndjson"):
        file.write_bytes(b'5\n{"t_s":1}\n' + file.read_bytes())
    assert run_line(("watch", str(bundle), "--plain", "--interval", "100ms")) == 0
    assert "level 1 " in capsys.readouterr().out


def test_a_file_without_permission_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], finished_run: Path
) -> None:
    def refused(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "lstat", refused)
    assert run_line(("show", str(finished_run))) == ExitCode.UNSUITABLE
    message = " ".join(capsys.readouterr().err.split())
    assert f"you have no permission to use {finished_run}" in message


NESTED = b"a = " + b"[" * 5_000
TOML = {
    "binary": (b"a = 1\n\xff\xfe", "line 2 is not UTF-8 text; save the file as UTF-8"),
    "not TOML": (b"hello world\n", "is not valid TOML"),
    "nested": (NESTED, "is not valid TOML: it is nested too deeply"),
    "huge": (b"#" * (16 << 20) + b"\n", "bytes, more than "),
}
READERS: dict[str, tuple[str, ...]] = {
    "plan": ("run", "x.toml", "--plan"),
    "costs": ("run", "app-server", "--target", "lab:app", "--plan", "--costs", "x.toml"),
    "disclosure": ("run", "app-server", "--target", "lab:app", "--plan", "--disclosure", "x.toml"),
    "rules": ("diagnose", "--explain", "M-01", "--rules", "x.toml"),
    "price": ("price", "a=100", "--costs", "x.toml"),
}


@pytest.mark.parametrize("kind", TOML)
@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_is_not_toml(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    reader: str,
    kind: str,
) -> None:
    contents, text = TOML[kind]
    monkeypatch.chdir(tmp_path)
    Path("x.toml").write_bytes(contents)
    assert run_line(READERS[reader]) == ExitCode.BAD_INPUT
    shown = capsys.readouterr()
    message = " ".join(shown.err.split())
    assert text in message
    assert "x.toml" in message
    assert shown.err.count("error:") == 1
    assert shown.out == ""


def test_a_pipe_is_not_a_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("x.toml")
    assert run_line(("run", "x.toml", "--target", "lab:app")) == ExitCode.BAD_INPUT
    assert "cannot be read: it is a pipe, not a file" in " ".join(capsys.readouterr().err.split())


def test_a_byte_order_mark_is_accepted(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    finished_run: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    plan = (finished_run / "plan.toml").read_bytes()
    Path("x.toml").write_bytes(b"\xef\xbb\xbf" + plan)
    assert run_line(("run", "x.toml", "--plan")) == ExitCode.PASSED
    assert capsys.readouterr().out == plan.decode()


LOGS = {
    "empty.csv": (b"", "the file is empty; known formats: "),
    "binary.log": (bytes(range(256)) * 20, "not a known log of counters; known formats: "),
    "text.log": (b"hello\nworld\n", "not a known log of counters; known formats: "),
    "zeros.csv": (bytes(4096), "not a known log of counters; known formats: "),
    "head.csv": (b'"(PDH-CSV 4.0) (UTC)(0)","\\\\H\\Memory\\Pages/sec"\n', "but no samples"),
}


@pytest.mark.parametrize("verb", [("diagnose",), ("watch", "--plain")])
@pytest.mark.parametrize("name", LOGS)
def test_a_log_of_another_kind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, verb: tuple[str, ...]
) -> None:
    contents, text = LOGS[name]
    (tmp_path / name).write_bytes(contents)
    assert run_line((*verb, str(tmp_path / name))) == ExitCode.BAD_INPUT
    shown = capsys.readouterr()
    assert text in " ".join(shown.err.split())
    assert shown.err.count("error:") == 1
