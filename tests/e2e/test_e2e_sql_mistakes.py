"""What goes wrong with databases: one clear error each, and data of others is untouched."""

from collections.abc import Iterator
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGSTOP

import pytest
from altered import altered

from database import Postgres, serving
from headcount.bundle import reader
from processes import Ended, Headcount, listening, phase

pytestmark = pytest.mark.e2e

FAST = ("--scale", "0.02", "--compress", "200", "--ramp", "0s", "--settle", "0s")
WAIT = "5s"
"""How long users wait in a level that the server does not survive: not less than it lasts, so that
nobody gives up in it. A silent server is asked once more for as long."""
GIVEN_UP_S = 150.0
"""What a server that stopped takes to be given up: a minute, after a level of seconds."""


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


def run(headcount: Headcount, target: str, *options: str, **environment: str) -> Ended:
    users = () if "--users" in options else ("--users", "1")
    return headcount.run(
        *("run", "notes-discussion", "--target", target, *FAST, "--duration", "2s"),
        *(*users, *options),
        **environment,
    )


def assert_refused(ended: Ended, code: int, *texts: str) -> None:
    assert ended.code == code, ended
    message = " ".join(ended.message.split())
    for text in texts:
        assert text in message, message
    assert ended.out == ""


def test_a_wrong_password(headcount: Headcount, postgres: Postgres) -> None:
    ended = run(headcount, postgres.target, HEADCOUNT_PASSWORD="wr0ng")  # noqa: S106
    texts = ('password authentication failed for user "headcount"', "--password-file")
    assert_refused(ended, 2, *texts)
    assert "wr0ng" not in ended.message
    assert headcount.bundles() == []


def test_no_password(headcount: Headcount, postgres: Postgres) -> None:
    ended = run(headcount, postgres.target, HEADCOUNT_PASSWORD="")
    assert_refused(ended, 2, "the server asks for a password", "HEADCOUNT_PASSWORD")


def test_an_unknown_database(headcount: Headcount, postgres: Postgres) -> None:
    ended = run(headcount, postgres.target + "x")
    assert_refused(ended, 2, 'database "postgresx" does not exist', "createdb")


def test_nobody_listens(headcount: Headcount) -> None:
    with listening() as taken:
        number = taken.getsockname()[1]
    ended = run(headcount, f"postgresql://127.0.0.1:{number}/shop")
    assert_refused(
        ended, 3, f"127.0.0.1:{number}", "no connection", "check that PostgreSQL is running"
    )


def test_tls_where_there_is_none(headcount: Headcount, postgres: Postgres) -> None:
    ended = run(headcount, postgres.target, "--client", "sslmode=require")
    assert_refused(ended, 3, "does not support TLS")


def test_a_role_without_the_right_to_make_a_schema(
    headcount: Headcount, postgres: Postgres
) -> None:
    postgres.sql(f"CREATE ROLE guest LOGIN PASSWORD '{postgres.password}'")
    ended = run(headcount, postgres.target, "--user", "guest")
    remedy = 'GRANT CREATE ON DATABASE "postgres" TO "guest"'
    assert_refused(ended, 2, "permission denied for database postgres", remedy)


def test_a_schema_of_the_same_name_is_refused(headcount: Headcount, postgres: Postgres) -> None:
    postgres.sql("CREATE SCHEMA headcount; CREATE TABLE headcount.documents AS SELECT 7 AS id")
    try:
        for ended in (
            run(headcount, postgres.target),
            headcount.run("cleanup", "--target", postgres.target),
        ):
            assert_refused(ended, 2, "a schema headcount that Headcount did not make")
        assert postgres.sql("SELECT id FROM headcount.documents") == "7"
    finally:
        postgres.sql("DROP TABLE headcount.documents; DROP SCHEMA headcount")


def test_more_users_than_connections_fail_the_level(
    headcount: Headcount, postgres: Postgres
) -> None:
    ended = run(headcount, postgres.target, "--users", "40")
    assert ended.code == 1, ended  # refusals count, however late the users' timers were
    bundle = reader.load(headcount.bundle)
    (level,) = bundle.levels
    assert level.outcome == "failed"
    assert any("SQLSTATE 53300" in text for fault in level.faults for text in fault.examples), (
        level.faults
    )
    assert headcount.run("cleanup", "--target", postgres.target).code == 0


@pytest.mark.parametrize("number", [SIGKILL, SIGSTOP], ids=["killed", "frozen"])
def test_a_server_that_ends_or_stops_in_a_level(tmp_path: Path, number: int) -> None:
    with serving() as server:
        headcount = Headcount(tmp_path)
        headcount.environment["HEADCOUNT_PASSWORD"] = server.password
        try:
            command = headcount.start(
                *("run", altered("notes-discussion", tmp_path, step_timeout=WAIT)),
                *("--target", server.target, *FAST, "--levels", "6,8", "--duration", "4s"),
            )
            command.reach(lambda: bool(headcount.bundles()) and phase(headcount.bundle) == "steady")
            server.signal(SIGKILL if number == SIGKILL else SIGSTOP)
            ended = command.ended(GIVEN_UP_S)
            assert ended.code == 3, ended
            message = " ".join(ended.message.split())
            assert "the target stopped answering during level 1 at 6 users" in message
            (level,) = reader.load(headcount.bundle).levels
            if number == SIGKILL:
                assert level.outcome == "failed"
            else:
                # Everybody still waits and is overloaded. Whether that breaks the workload's
                # criterion, a mean, depends on how much of the level was over before.
                assert level.total.overloaded >= level.users
        finally:
            server.signal(SIGCONT)
            headcount.close()


def test_a_read_only_database_is_an_error_with_a_remedy(
    headcount: Headcount, postgres: Postgres
) -> None:
    name = postgres.server.database
    postgres.sql(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    try:
        assert_refused(
            run(headcount, postgres.target), 3, "SQLSTATE 25006", "Make the primary the target"
        )
    finally:
        postgres.sql(f"SET default_transaction_read_only = off; ALTER DATABASE {name} RESET ALL")
