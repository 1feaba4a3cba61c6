"""The journey of `examples/journeys/django-admin.toml`, played in the admin of a real Django."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from django_site import PASSWORDS
from processes import Headcount

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = "/usr/bin/chromium"
FORM = "/admin/login/?next=/admin/"
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
def test_a_refused_log_in_is_shown(
    headcount: Headcount, site: tuple[Path, str], user: str, password: str
) -> None:
    _, url = site
    options = ("--target", url, "--user", user)
    done = headcount.run("try", str(JOURNEY), *options, HEADCOUNT_PASSWORD=password)
    assert done.code != 0
    assert "log-in" in done.out
    assert 'check failed: the body contains "errornote"' in done.out


def test_a_missing_user_is_asked_for(headcount: Headcount, site: tuple[Path, str]) -> None:
    _, url = site
    done = headcount.run("try", str(JOURNEY), "--target", url)
    assert done.code != 0
    assert "--user" in done.out + done.err


def of_chromium(url: str) -> list[str]:
    """The paths that a browser asks for when its user opens the form."""
    found: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("request", lambda request: found.append("/" + request.url.split("/", 3)[3]))
        page.goto(url.rstrip("/") + FORM, wait_until="networkidle")
        browser.close()
    return found


def test_the_form_is_fetched_as_chromium_does(
    headcount: Headcount, site: tuple[Path, str], tmp_path: Path
) -> None:
    database, url = site
    log = database.with_name("requests.log")
    workload = tmp_path / "form.toml"
    workload.write_text(
        f"""
name = "form"
title = "The form"
protocol = "http"
criteria = ["errors<1%"]
pace = {{ kind = "closed", time = {{ draw = "fixed", mean = "60s" }} }}
run = {{ duration = "2s" }}

[[scenarios]]
name = "form"
weight = 1
limit = "5s"
steps = [{{ name = "form", op = "get", path = "{FORM}", resources = "embedded" }}]
""",
        "utf-8",
    )
    done = headcount.run("try", str(workload), "--target", url, "--json")
    assert done.code == 0, done.out + done.err
    form, *loads = done.json[0]["exchanges"]
    ours = [form["path"], *(one["resource"] for one in loads)]
    assert len(ours) > 5
    assert {path.split("?")[0] for path in ours} <= set(log.read_text("utf-8").split())
    assert sorted(ours) == sorted(of_chromium(url))
