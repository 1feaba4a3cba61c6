"""Options of `headcount shares` that would change nothing are refused."""

import pytest

from headcount.cli import run_line
from headcount.errors import ExitCode


@pytest.mark.parametrize("option", ["--levels", "--budget", "--duration"])
def test_options_of_the_capacity_need_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    monkeypatch.setenv("HEADCOUNT_PASSWORD", "s3cret")
    line = ["shares", "--target", "smb://127.0.0.1:9/data", "--pid", "1", option, "50"]
    assert run_line(line) == ExitCode.BAD_INPUT
    assert f"{option} is for the capacity: add --capacity" in capsys.readouterr().err
