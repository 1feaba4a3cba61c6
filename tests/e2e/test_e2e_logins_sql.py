"""`--logins FILE` at a real PostgreSQL: each user connects as a role of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from test_e2e_sql_password import set_logon_method

from database import Postgres, serving
from processes import Headcount

pytestmark = pytest.mark.e2e

WORKLOAD = """
name = "roles"
title = "Each user is a role"
protocol = "sql"
criteria = ["errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "100ms" } }
run = { duration = "3s", settle = "0s", ramp = "0s" }

[[scenarios]]
name = "note"
weight = 1
limit = "2s"
steps = [{ name = "insert", op = "sql", statement = "INSERT INTO notes VALUES (current_user)" }]
"""
NAMES = ("ada", "grace", "o'neil x")
ROLES = """
CREATE TABLE notes (who text);
CREATE ROLE people;
GRANT INSERT ON notes TO people;
CREATE ROLE ada LOGIN PASSWORD 'first secret' IN ROLE people;
CREATE ROLE grace LOGIN PASSWORD 'second secret' IN ROLE people;
CREATE ROLE "o'neil x" LOGIN PASSWORD 'third secret' IN ROLE people;
"""


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with serving(max_connections="20") as server:
        server.sql(ROLES)
        set_logon_method(server, "scram-sha-256")
        yield server


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A workload, and beside it a file of the roles."""
    (tmp_path / "roles.toml").write_text(WORKLOAD, "utf-8")
    file = tmp_path / "people.csv"
    words = ("first", "second", "third")
    rows = [f"{name},{word} secret\n" for name, word in zip(NAMES, words, strict=True)]
    file.write_text("".join(["username,password\n", *rows]), "utf-8")
    file.chmod(0o600)
    return file


def test_each_user_connects_as_its_own_role(
    headcount: Headcount, postgres: Postgres, people: Path
) -> None:
    postgres.sql("TRUNCATE notes")
    workload = str(people.with_name("roles.toml"))
    line = ("run", workload, "--target", postgres.target, "--logins", str(people))
    for more in ((), ("--agents", "2")):
        done = headcount.run(*line, "--users", "3", *more, "--json")
        assert done.code == 0, done.out + done.err
        assert set(postgres.sql("SELECT DISTINCT who FROM notes").splitlines()) == set(NAMES)
        postgres.sql("TRUNCATE notes")
        files = [path for path in Path(done.json["bundle"]).rglob("*") if path.is_file()]
        kept = b"".join(path.read_bytes() for path in files)
        assert b"d secret" not in kept


def test_a_wrong_password_of_one_role_is_an_error(
    headcount: Headcount, postgres: Postgres, people: Path
) -> None:
    text = people.read_text("utf-8").replace("first secret", "another one")
    people.write_text(text, "utf-8")
    workload = str(people.with_name("roles.toml"))
    line = ("try", workload, "--target", postgres.target, "--logins", str(people))
    done = headcount.run(*line)
    assert done.code == 2
    assert 'password authentication failed for user "ada"' in " ".join(done.err.split())
    assert "another one" not in done.out + done.err


def test_headcounts_data_set_belongs_to_one_role(
    headcount: Headcount, postgres: Postgres, people: Path
) -> None:
    line = ("run", "notes-discussion", "--target", postgres.target, "--logins", str(people))
    done = headcount.run(*line, "--users", "1")
    assert done.code == 2
    assert "belongs to one role, as which all its users log on" in " ".join(done.err.split())
    line = ("try", str(people.with_name("roles.toml")), "--target", postgres.target)
    done = headcount.run(*line, "--user", "{n}", HEADCOUNT_PASSWORD=postgres.password)
    assert done.code == 2
    assert "give --logins FILE" in " ".join(done.err.split())
