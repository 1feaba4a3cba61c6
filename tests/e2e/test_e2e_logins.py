"""`--logins FILE`: users of a site, each with a password of its own, at real servers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import accounts
from mail_office import MailOffice, open_home, serving
from processes import Ended, Headcount
from web_shop import Shop, served


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A file of people, and beside it a workload."""
    return accounts.logins(tmp_path)


def assert_no_passwords(done: Ended, passwords: list[str]) -> None:
    """No output and no file of the run holds a password."""
    files = Path(done.json["bundle"]).rglob("*")
    kept = b"".join(path.read_bytes() for path in files if path.is_file())
    for password in passwords:
        assert password.encode() not in kept
        assert password not in done.out + done.err


def test_users_of_a_web_application_log_on_as_themselves(
    headcount: Headcount, people: Path
) -> None:
    shop = Shop()
    options = ("--logins", str(people), "--users", "4", "--workers", "2", "--json")
    with served(shop) as url:
        workload = str(people.parent / "accounts.toml")
        done = headcount.run("run", workload, "--target", url, *options)
    assert done.code == 0, done.out + done.err
    levels = json.loads((Path(done.json["bundle"]) / "levels.json").read_bytes())["levels"]
    assert levels[0]["scenarios"][0]["failed"] == 0
    assert set(shop.tokens.values()) == set(accounts.NAMES)
    assert_no_passwords(done, [name[::-1] for name in accounts.NAMES])


def test_agents_get_the_users_too(headcount: Headcount, people: Path) -> None:
    shop = Shop()
    options = ("--logins", str(people), "--users", "4", "--agents", "2", "--json")
    with served(shop) as url:
        workload = str(people.parent / "accounts.toml")
        done = headcount.run("run", workload, "--target", url, *options)
    assert done.code == 0, done.out + done.err
    assert set(shop.tokens.values()) == set(accounts.NAMES)
    assert_no_passwords(done, [name[::-1] for name in accounts.NAMES])


def test_try_reports_a_wrong_password_without_showing_it(
    headcount: Headcount, people: Path
) -> None:
    people.write_text("username,password\naugusta,geheim-17\n", "utf-8")
    with served(Shop()) as url:
        workload = str(people.parent / "accounts.toml")
        done = headcount.run("try", workload, "--target", url, "--logins", str(people))
    assert done.code != 0
    assert "wrong password" in done.out
    assert "user=augusta" in done.out
    assert "geheim-17" not in done.out + done.err


@pytest.fixture(scope="module")
def office() -> Iterator[MailOffice]:
    with serving() as office:
        users = office.server.stats.parent.parent / "users"
        rows = "".join(f"{name}:{{PLAIN}}pw-{name[::-1]}::::::\n" for name in accounts.NAMES)
        users.write_text(rows, "utf-8")
        yield office


def test_users_of_a_mail_server_log_on_as_themselves(office: MailOffice, people: Path) -> None:
    rows = "".join(f"{name},pw-{name[::-1]}\n" for name in accounts.NAMES)
    people.write_text(f"username,password\n{rows}", "utf-8")
    with open_home() as headcount:
        line = ("run", "mail-imap-mix", *office.target, "--logins", str(people))
        how = ("--users", "4", "--duration", "4s", "--settle", "1s", "--scale", "0.05", "--json")
        done = headcount.run(*line, *how)
        assert done.json["outcome"] in ("passed", "failed"), done.out + done.err
        levels = json.loads((Path(done.json["bundle"]) / "levels.json").read_bytes())["levels"]
        assert sum(one["completed"] for one in levels[0]["scenarios"]) > 0
        assert sum(one["failed"] for one in levels[0]["scenarios"]) == 0
        assert_no_passwords(done, [f"pw-{name[::-1]}" for name in accounts.NAMES])
