"""`--logins FILE` before a run: mistakes, and what a plan keeps of it."""

from pathlib import Path

import pytest

from headcount.cli import run_line
from headcount.cli.logins import logins_of
from headcount.errors import ExitCode, InputError

WEB = ("run", "shop.toml", "--target", "http://127.0.0.1:9/", "--plan")
SHOP = """
name = "shop"
title = "Our shop"
protocol = "http"
criteria = ["p95<=500ms", "errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "1s" } }
run = { duration = "2s" }

[[scenarios]]
name = "look"
weight = 1
limit = "500ms"
steps = [{ name = "home", op = "get", path = "/{username}" }]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workload, and a file of two users."""
    (tmp_path / "shop.toml").write_text(SHOP, "utf-8")
    (tmp_path / "two.csv").write_text("username,password\nada,geheim-1\nbob,geheim-2\n", "utf-8")
    (tmp_path / "two.csv").chmod(0o600)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_search_has_no_more_users_than_rows_and_a_plan_no_names(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert folder.is_dir()
    assert run_line([*WEB, "--logins", "two.csv"]) == ExitCode.PASSED
    plan, warnings = capsys.readouterr()
    assert warnings == ""
    assert "logins = 2\n" in plan
    assert "max_users = 2\n" in plan
    assert "start_users = 2\n" in plan
    assert not any(text in plan for text in ("ada", "bob", "geheim"))


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ((*WEB, "--logins", "two.csv", "--users", "3"), "has 2 rows, and each of 3 users needs"),
        ((*WEB, "--logins", "two.csv", "--user", "u{n}"), "--logins and --user exclude each other"),
        ((*WEB, "--logins", "none.csv"), "none.csv) cannot be read"),
        (WEB, "users have no {username}: give their names and passwords with --logins FILE"),
        (
            ("run", "app-server", "--target", "app://127.0.0.1:9", "--logins", "two.csv"),
            "--logins is for targets like",
        ),
        (
            ("run", "web-mix", "--target", "lab:nginx", "--logins", "two.csv"),
            "lab:nginx makes its own users",
        ),
    ],
)
def test_a_mistake_is_one_error_with_the_next_step(
    folder: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], part: str
) -> None:
    assert folder.is_dir()
    assert run_line(options) == ExitCode.BAD_INPUT
    shown = " ".join(capsys.readouterr().err.split())
    assert part in shown
    assert shown.count("error:") == 1


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("ada,one\nbob,two\n", "has no column username; its first line must be username,password"),
        ("username\nada\n", "has no column password"),
        ("username,password\n", "has no rows"),
        ("username,password\nada,\n", "row 1 has no password"),
        ("username,password\nada,a\nada,b\n", 'row 2 names "ada" again'),
        ("username,password\nada\n", "line 2 has 1 values"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(folder: Path, text: str, part: str) -> None:
    (folder / "bad.csv").write_text(text, "utf-8")
    with pytest.raises(InputError) as error:
        logins_of(folder / "bad.csv")
    assert part in str(error.value)


def test_a_file_that_others_may_read_gives_a_warning(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "two.csv").chmod(0o644)
    assert logins_of(folder / "two.csv") == (("ada", "geheim-1"), ("bob", "geheim-2"))
    assert "chmod 600 " in " ".join(capsys.readouterr().err.split())


def test_a_plan_with_logins_needs_them_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_line([*WEB, "--logins", "two.csv"]) == ExitCode.PASSED
    (folder / "plan.toml").write_text(capsys.readouterr().out, "utf-8")
    assert run_line(["run", "plan.toml"]) == ExitCode.BAD_INPUT
    assert "give it again with --logins FILE" in " ".join(capsys.readouterr().err.split())
    assert run_line(["run", "plan.toml", "--logins", "two.csv", "--plan"]) == ExitCode.PASSED
