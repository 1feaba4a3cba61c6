"""`--logins FILE` with agents of a real Ray cluster: a user is the same on every agent."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from ray_cluster import RayCluster

from database import Postgres, serving
from processes import Headcount, lines

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

[[scenarios.steps]]
name = "insert"
op = "sql"
statement = "INSERT INTO notes VALUES (current_user, $1)"
parameters = ["{user}"]
"""
USERS = 6
SECRET = "hopscotch-Zanzibar-{}"  # noqa: S105 - of roles that the test makes
"""The password of a user."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    """One head and two machines for agents."""
    found = RayCluster(2)
    try:
        yield found
    finally:
        found.close()


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with serving(fsync="off") as server:
        server.sql("CREATE TABLE notes (who text, number int); GRANT INSERT ON notes TO public")
        for user in range(USERS):
            server.sql(f"CREATE ROLE role{user} LOGIN PASSWORD '{SECRET.format(user)}'")
        yield server


def test_agents_play_the_same_users_and_keep_no_password(
    headcount: Headcount, cluster: RayCluster, postgres: Postgres, tmp_path: Path
) -> None:
    workload, people = tmp_path / "roles.toml", tmp_path / "people.csv"
    workload.write_text(WORKLOAD, "utf-8")
    rows = [f"role{user},{SECRET.format(user)}\n" for user in range(USERS)]
    people.write_text("".join(["username,password\n", *rows]), "utf-8")
    people.chmod(0o600)
    line = ("run", str(workload), "--target", postgres.target, "--logins", str(people))
    on = ("--agents", "2", "--cluster", cluster.address, "--users", str(USERS), "--json")
    done = headcount.run(*line, *on, **cluster.environment)
    assert done.code == 0, done
    (event,) = [
        one for one in lines(headcount.bundle / "events.ndjson") if one["event"] == "agents"
    ]
    assert len(event["agents"]) == 2
    found = postgres.sql("SELECT DISTINCT who || ' ' || number FROM notes ORDER BY 1").splitlines()
    assert found == [f"role{user} {user}" for user in range(USERS)]
    kept = [*texts_in(cluster.folder), *texts_in(Path("/dev/shm"))]  # noqa: S108 - Ray's own store
    assert any(b"AgentActor" in text for text in kept)
    kept += [*texts_in(headcount.bundle), (done.out + done.err).encode()]
    for user in range(USERS):
        assert not any(SECRET.format(user).encode() in text for text in kept)


def texts_in(folder: Path) -> Iterator[bytes]:
    """The contents of the files of a folder that can be read."""
    for path in folder.rglob("*"):
        try:
            if path.is_file():
                yield path.read_bytes()
        except OSError:
            continue  # it ended meanwhile
