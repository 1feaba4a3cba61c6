"""Where secrets come from, and that they go nowhere else."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from command_line import app
from headcount import workloads
from headcount.cli import secrets
from headcount.controller.access import Secrets
from headcount.errors import InputError
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.secrets import environment_secret
from processes import Headcount
from terminal import Terminal

TARGET = "smb://127.0.0.1:9/data"
GIVEN = " s3cret with spaces, ünd more "
OTHER = "an0ther"


def plan(target: str = TARGET) -> Plan:
    name = "app-server" if target.startswith(("app:", "lab:app")) else "home-folders"
    return resolve(workloads.load(name), target, Overrides(seed=1))


@pytest.fixture(autouse=True)
def without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HEADCOUNT_PASSWORD", "HEADCOUNT_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def password_file(folder: Path, text: str) -> Path:
    path = folder / "password"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    monkeypatch.setenv("HEADCOUNT_PASSWORD", OTHER)
    found = secrets.secrets_for(plan(), None, password_file(tmp_path, GIVEN + end))
    assert found == Secrets(token=None, password=GIVEN)


def test_from_a_file_of_a_windows_editor(tmp_path: Path) -> None:
    path = password_file(tmp_path, f"\ufeff{GIVEN}\r\n")
    assert secrets.secrets_for(plan(), None, path).password == GIVEN


def test_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADCOUNT_PASSWORD", GIVEN)
    monkeypatch.setenv("HEADCOUNT_TOKEN", OTHER)
    assert secrets.secrets_for(plan(), None, None) == Secrets(token=OTHER, password=GIVEN)


def test_a_secret_that_is_not_utf_8_is_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADCOUNT_PASSWORD", os.fsdecode(b"s3cret \xfcnd"))
    with pytest.raises(InputError, match="HEADCOUNT_PASSWORD is not UTF-8 text") as caught:
        secrets.secrets_for(plan(), None, None)
    assert "s3cret" not in str(caught.value)
    with pytest.raises(InputError, match="HEADCOUNT_PASSWORD is not UTF-8 text"):
        environment_secret("the variable key", "HEADCOUNT_PASSWORD")


@pytest.mark.parametrize("given", [None, ""])
def test_without_a_terminal_both_ways_are_named(
    monkeypatch: pytest.MonkeyPatch, given: str | None
) -> None:
    if given is not None:
        monkeypatch.setenv("HEADCOUNT_PASSWORD", given)
    with pytest.raises(InputError, match=r"set HEADCOUNT_PASSWORD, or give --password-file"):
        secrets.secrets_for(plan(), None, None)


@pytest.mark.parametrize("target", ["lab:samba", "lab:app", "app://127.0.0.1:9"])
def test_nobody_is_asked_for_a_password_without_need(target: str) -> None:
    assert secrets.secrets_for(plan(target), None, None) == Secrets()


@pytest.mark.parametrize("text", ["", "\n", "\r\n"])
def test_an_empty_file_is_a_mistake(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"the password file .* is empty"):
        secrets.secrets_for(plan(), None, password_file(tmp_path, text))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the password file .*none cannot be read: .*No such"):
        secrets.secrets_for(plan(), None, tmp_path / "none")
    with pytest.raises(InputError, match=r"the token file .* cannot be read"):
        secrets.secrets_for(plan(), tmp_path, None)
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"the password file .*binary cannot be read"):
        secrets.secrets_for(plan(), None, tmp_path / "binary")


def test_secrets_are_never_printed() -> None:
    assert GIVEN not in repr(Secrets(token=OTHER, password=GIVEN))
    assert OTHER not in repr(Secrets(token=OTHER, password=GIVEN))


def test_a_printed_plan_holds_no_secret(tmp_path: Path) -> None:
    options = ["run", "home-folders", "--target", TARGET, "--user", "u{n}", "--plan"]
    options += ["--password-file", str(password_file(tmp_path, GIVEN))]
    shown = CliRunner().invoke(app, options, env={"HEADCOUNT_PASSWORD": OTHER})
    assert shown.exit_code == 0
    assert 'user = "u{n}"' in shown.output
    for secret in (GIVEN.strip(), OTHER, "password"):
        assert secret not in shown.output


@pytest.mark.parametrize("typed", [b"\n", b"\x04"], ids=["nothing", "end of file"])
def test_a_question_without_an_answer(headcount: Headcount, typed: bytes) -> None:
    headcount.home.mkdir()
    terminal = Terminal(headcount, "run", "home-folders", "--target", TARGET, "--users", "1")
    try:
        terminal.until(f"Password of the users of {TARGET}: ".encode())
        terminal.type(typed)
        assert terminal.ended() == 2
    finally:
        terminal.close()
    screen = " ".join(terminal.seen.decode().split())
    assert "no password was given" in screen
    assert "Traceback" not in screen
    assert headcount.bundles() == []


def test_ctrl_c_at_the_question(headcount: Headcount) -> None:
    headcount.home.mkdir()
    terminal = Terminal(headcount, "cleanup", "--target", TARGET)
    try:
        terminal.until(b"Password of the users of ")
        terminal.type(b"\x03")
        assert terminal.ended() == 130
    finally:
        terminal.close()
    assert b"Traceback" not in terminal.seen
