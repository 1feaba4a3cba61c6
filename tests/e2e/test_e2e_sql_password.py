"""Who gets the password of a database's users: nobody, unless the user says so."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from database import Postgres, serving
from processes import Ended, Headcount

pytestmark = pytest.mark.e2e

FAST = ("--scale", "0.02", "--compress", "200", "--ramp", "0s", "--settle", "0s")
TRIES = 100
WARNING = "warning: the password travels in clear"


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with serving(max_connections="20") as server:
        yield server


@pytest.fixture
def headcount(tmp_path: Path, postgres: Postgres) -> Iterator[Headcount]:
    command = Headcount(tmp_path)
    command.environment["HEADCOUNT_PASSWORD"] = postgres.password
    yield command
    command.close()


def set_logon_method(postgres: Postgres, method: str) -> None:
    """Have the server authenticate users with this method, from the next connection on."""
    loaded = "SELECT pg_conf_load_time()"
    before = postgres.sql(loaded)
    rules = postgres.server.home / "data" / "pg_hba.conf"
    rules.write_text(f"host all all all {method}\n", "utf-8")
    postgres.sql("SELECT pg_reload_conf()")
    for _ in range(TRIES):
        if postgres.sql(loaded) != before:
            return
    pytest.fail("the server does not read its rules again")


def run(headcount: Headcount, postgres: Postgres, *options: str) -> Ended:
    return headcount.run(
        *("run", "notes-discussion", "--target", postgres.target, *FAST),
        *("--users", "1", "--duration", "2s", *options),
    )


def logon_method(headcount: Headcount) -> str:
    """How users logged on, according to the run's bundle."""
    text = (headcount.bundle / "environment.json").read_text("utf-8")
    (side,) = json.loads(text)["sides"]
    assert side["settings"]["TLS"] == "off"
    return str(side["settings"]["authentication"])


def test_a_server_that_asks_for_the_password_does_not_get_it(
    headcount: Headcount, postgres: Postgres
) -> None:
    set_logon_method(postgres, "password")
    ended = run(headcount, postgres)
    assert ended.code == 2, ended
    message = " ".join(ended.message.split())
    assert "the server asks for the password in clear text, which require_auth does not" in message
    assert "--client require_auth=password" in message
    assert headcount.bundles() == []


def test_a_server_that_may_have_the_password_gets_it_with_a_warning(
    headcount: Headcount, postgres: Postgres
) -> None:
    set_logon_method(postgres, "password")
    ended = run(headcount, postgres, "--client", "require_auth=password,scram-sha-256")
    assert ended.code == 0, ended
    assert WARNING in " ".join(ended.err.split())
    assert logon_method(headcount) == "password"


@pytest.mark.parametrize(
    ("asks", "method"), [("scram-sha-256", "scram-sha-256"), ("trust", "none")]
)
def test_other_methods_need_no_option(
    headcount: Headcount, postgres: Postgres, asks: str, method: str
) -> None:
    set_logon_method(postgres, asks)
    ended = run(headcount, postgres)
    assert ended.code == 0, ended
    assert WARNING not in " ".join(ended.err.split())
    assert logon_method(headcount) == method
