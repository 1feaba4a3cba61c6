"""Users of mail and of a database at once: both servers are real, and are asked afterwards."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from altered import altered

import database
import mail_office
from headcount.bundle import reader
from processes import Headcount

pytestmark = pytest.mark.e2e

USERS = 6
PREPARED = 500
"""Documents: 10,000, scaled."""
SHORT = ("--compress", "600", "--ramp", "0s", "--settle", "3s", "--duration", "4s")


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[Headcount, mail_office.MailOffice, database.Postgres]]:
    with (
        mail_office.serving() as office,
        database.serving() as postgres,
        mail_office.visitor(tmp_path, office) as headcount,
    ):
        headcount.environment["HEADCOUNT_SECOND_PASSWORD"] = postgres.password
        yield headcount, office, postgres


def test_the_same_users_have_mail_and_a_database(
    tmp_path: Path,
    both: tuple[Headcount, mail_office.MailOffice, database.Postgres],
) -> None:
    headcount, office, postgres = both
    flag, mail, *client = office.target
    target = (flag, f"{mail}+{postgres.target}", *client)
    scale = ("--scale", "0.05")
    # Where a steady state is required, so few users settle for four times as long.
    workload = altered("notes-maildb", tmp_path, steady="reported")
    ended = headcount.run("run", workload, *target, "--users", str(USERS), *scale, *SHORT)
    bundle = reader.load(headcount.bundle)
    (level,) = bundle.levels
    assert level.faults == [], level.faults
    assert ended.code in (0, 4), ended  # 6 users may be too few to be steady, which it says
    tasks = {task.name: task.completed for task in level.tasks}
    assert tasks["SELECT"] > 0
    assert tasks["read-view"] > tasks["add-document"] > 0
    by_name = {figures.name: figures.completed for figures in level.scenarios}
    assert abs(by_name["add-a-document"] - tasks["add-document"]) <= 1
    assert level.marks is not None
    marked = level.marks.per_minute * level.steady_s / 60
    assert marked == pytest.approx(sum(by_name.values()), rel=1e-6)
    added = int(postgres.sql("SELECT last_value FROM headcount.document_numbers")) - PREPARED
    assert added >= tasks["add-document"]  # those before and after the window, too
    assert [side.settings["IMAP TLS"] for side in bundle.environment.sides] == ["none"]
    assert bundle.environment.sides[0].settings["database"]
    assert headcount.leftovers() == []
    ended = headcount.run("cleanup", *target)
    assert ended.code == 0, ended
    assert "headcount" not in postgres.schemas()
    assert all(office.letters(user) == [] for user in range(USERS))


def test_a_second_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    with mail_office.serving() as office, mail_office.visitor(tmp_path, office) as headcount:
        flag, mail, *client = office.target
        joined = f"{mail}+postgresql://127.0.0.1:9/shop"
        ended = headcount.run("run", "notes-maildb", flag, joined, *client, "--users", "1")
        assert ended.code == 3, ended
        assert "127.0.0.1:9" in ended.message
        assert "PostgreSQL is running there" in ended.message
