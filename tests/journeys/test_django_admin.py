"""The journey of `examples/journeys/django-admin.toml`, played in the admin of a real Django."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from django_site import PASSWORDS
from processes import Headcount

ROOT = Path(__file__).resolve().parents[2]
JOURNEY = ROOT / "examples" / "journeys" / "django-admin.toml"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A site that is served; its database and its address."""
    command = [sys.executable, str(ROOT / "tests" / "django_site.py"), str(tmp_path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield tmp_path / "site.sqlite3", process.stdout.readline().strip()
        finally:
            process.stdin.close()
            process.wait(30)


def changes(database: Path) -> dict[int, int]:
    """How often the admin logged that something was added (1) or deleted (3)."""
    with sqlite3.connect(database) as connection:
        query = "SELECT action_flag, count(*) FROM django_admin_log GROUP BY action_flag"
        return dict(connection.execute(query).fetchall())


def test_one_editor_tries_it(headcount: Headcount, site: tuple[Path, str]) -> None:
    database, url = site
    options = ("--target", url, "--user", "editor")
    done = headcount.run("try", str(JOURNEY), *options, HEADCOUNT_PASSWORD=PASSWORDS["editor"])
    assert done.code == 0, done.out + done.err
    assert "edit-groups succeeded" in done.out
    assert PASSWORDS["editor"] not in done.out
    assert changes(database) == {1: 1, 3: 1}


def test_many_editors_work(headcount: Headcount, site: tuple[Path, str]) -> None:
    database, url = site
    options = ("--target", url, "--user", "editor", "--users", "5", "--duration", "6s")
    times = ("--settle", "2s", "--think", "0.5s", "--json")
    password = {"HEADCOUNT_PASSWORD": PASSWORDS["editor"]}
    done = headcount.run("run", str(JOURNEY), *options, *times, **password)
    levels = json.loads((Path(done.json["bundle"]) / "levels.json").read_bytes())["levels"]
    scenario = levels[0]["scenarios"][0]
    assert scenario["failed"] == 0, done.out + done.err
    assert changes(database)[3] >= scenario["completed"] > 3


@pytest.mark.parametrize(
    ("user", "password"), [("editor", "wrong"), ("reader", PASSWORDS["reader"])]
)
def test_who_may_not_in_is_shown(
    headcount: Headcount, site: tuple[Path, str], user: str, password: str
) -> None:
    _, url = site
    options = ("--target", url, "--user", user)
    done = headcount.run("try", str(JOURNEY), *options, HEADCOUNT_PASSWORD=password)
    assert done.code != 0
    assert "log-in" in done.out
    assert 'check failed: the body contains "errornote"' in done.out


def test_who_gives_no_user_is_asked_for_one(headcount: Headcount, site: tuple[Path, str]) -> None:
    _, url = site
    done = headcount.run("try", str(JOURNEY), "--target", url)
    assert done.code != 0
    assert "--user" in done.out + done.err
