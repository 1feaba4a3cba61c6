"""What surrounds a command: output closed or full, odd terminals, no home, Ctrl-C at the start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from headcount.bundle.writer import BundleWriter
from headcount.cli import run_line
from headcount.cli.console import Screen
from headcount.errors import ExitCode

HEADCOUNT = f"{sys.executable} -m headcount"


def shell(line: str, folder: Path, **environment: str | None) -> subprocess.CompletedProcess[str]:
    """Run a line of bash; a variable that is None is not set."""
    merged = {**os.environ, **environment}
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        env={name: value for name, value in merged.items() if value is not None},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("{0} show {1} | head -n 1", 0, ""),
        ("{0} published | head -n 1", 0, ""),
        ("{0} published --json | head -n 1", 0, ""),
        ("{0} show {1} --json | true", 0, ""),
        ("{0} watch --plain --interval 100ms | head -n 1", 0, ""),
        ("{0} show {1} >&-", 0, ""),
        ("{0} show {1} <&-", 0, ""),
        ("{0} show nowhere 2>&-", 2, ""),
        ("{0} show {1} >/dev/full", 5, "cannot write standard output: the disk is full"),
        ("{0} show {1} --json >/dev/full", 5, "cannot write standard output: the disk is full"),
        ("mkdir gone; cd gone; rmdir ../gone; {0} show {1}", 0, ""),
        (
            "mkdir gone; cd gone; rmdir ../gone; {0} report {1} -o r.html",
            2,
            "cannot write r.html: the current folder has been deleted",
        ),
        (
            "mkdir gone; cd gone; rmdir ../gone; {0} run app-server --target lab:app",
            2,
            "cannot write runs: the current folder has been deleted",
        ),
    ],
)
def test_streams_and_folders_that_are_closed_full_or_gone(
    tmp_path: Path, finished_run: Path, line: str, code: int, message: str
) -> None:
    ended = shell(line.format(HEADCOUNT, finished_run), tmp_path)
    assert ended.returncode == code, ended
    assert message in " ".join(ended.stderr.split())
    assert "Traceback" not in ended.stderr
    assert ended.stderr.count("error:") == (1 if message else 0)


@pytest.mark.parametrize(
    "environment",
    [
        {"NO_COLOR": "1"},
        {"TERM": "dumb"},
        {"LC_ALL": "C", "LANG": "C"},
        {"LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii"},
        {"COLUMNS": "20"},
        {"COLUMNS": "0"},
        {"COLUMNS": "wide"},
        {"HOME": None},
        {"HOME": "/nonexistent", "TMPDIR": "/nonexistent"},
    ],
    ids=str,
)
def test_odd_surroundings_change_no_answer(
    tmp_path: Path, finished_run: Path, environment: dict[str, str | None]
) -> None:
    ended = shell(f"{HEADCOUNT} show {finished_run}", tmp_path, **environment)
    assert ended.returncode == 0, ended
    assert ended.stderr == ""
    assert "Users" in ended.stdout
    assert "\x1b[" not in ended.stdout


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("show nowhere 2>&1", ExitCode.BAD_INPUT),
        ("show nowhere 2>/dev/full", ExitCode.BAD_INPUT),
        ("audit {0}", ExitCode.FAILED),
        ("audit {0} --json", ExitCode.FAILED),
    ],
)
def test_a_reader_who_leaves_early_changes_no_exit_code(
    tmp_path: Path, line: str, code: ExitCode
) -> None:
    bundle = tmp_path / "damaged"
    bundle.mkdir()
    writer = BundleWriter(bundle)
    writer.plan("no plan")
    writer.close()
    ended = shell(f"{HEADCOUNT} {line.format(bundle)} | true", tmp_path)
    assert ended.returncode == code, ended
    assert ended.stderr == ""


def test_a_terminal_that_was_closed_ends_nothing() -> None:
    terminal, end = os.openpty()
    with os.fdopen(end, "w") as stream:
        screen = Screen(file=stream, force_terminal=True)
        screen.print("seen")
        assert os.read(terminal, 100) == b"seen\r\n"
        os.close(terminal)
        screen.print("not seen")  # before, OSError: Input/output error
        screen.print("nor this")


@pytest.mark.parametrize(
    "line",
    [
        ("prepare", "web-static", "--folder", "b\udcfccher/pages"),
        ("run", "app-server", "--target", "lab:app", "--plan", "--criteria", "p95<\udcfc"),
        ("run", "app-server", "--target", "lab:app", "--plan", "--password=s3cret\udcfc"),
    ],
)
def test_an_argument_in_another_encoding_is_one_error(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    line: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_line(line) == ExitCode.BAD_INPUT
    shown = capsys.readouterr().err
    assert f"argument {len(line)} is not UTF-8 text" in shown
    assert "Traceback" not in shown
    assert "s3cret" not in shown


def test_ctrl_c_while_it_is_loaded(tmp_path: Path) -> None:
    # A module that is interrupted while it is imported, as by Ctrl-C in the first moments.
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    ended = shell(f"{HEADCOUNT} show nowhere", tmp_path, PYTHONPATH=path)
    assert ended.returncode == 130, ended
    assert ended.stderr == "error: interrupted\n"
