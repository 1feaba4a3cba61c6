"""`--logins FILE` at a real Redis: each user connects as a user of the access list of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import Headcount
from redis_server import Store, serving

pytestmark = pytest.mark.e2e

NAMES = ("ada", "grace", "hedy")
SCALE = ("--scale", "0.001")
"""A hundred keys."""


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with serving() as server:
        for name in NAMES:
            rights = ("~headcount:*", "+@all")
            server.cli("acl", "setuser", name, "on", f">{name[::-1]} secret", *rights)
        server.cli("acl", "setuser", "default", "-@all", "+acl", "+client", "+info", "+auth")
        yield server


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A file of the users."""
    file = tmp_path / "people.csv"
    rows = [f"{name},{name[::-1]} secret\n" for name in NAMES]
    file.write_text("".join(["username,password\n", *rows]), "utf-8")
    file.chmod(0o600)
    return file


def connected_users(store: Store) -> list[str]:
    """The users whose connections are open."""
    listed = (line.split() for line in store.cli("client", "list").splitlines())
    return sorted(
        field.removeprefix("user=")
        for line in listed
        for field in line
        if field.startswith("user=") and field != "user=default"
    )


@pytest.mark.parametrize("agents", [(), ("--agents", "2")])
def test_each_user_connects_as_its_own(
    headcount: Headcount, store: Store, people: Path, agents: tuple[str, ...]
) -> None:
    line = ("run", "ycsb-a", "--target", store.target, "--logins", str(people), *SCALE, *agents)
    run = headcount.start(*line, "--users", "3", "--duration", "5s", "--ramp", "0s", "--json")
    run.reach(lambda: connected_users(store) == sorted(NAMES))
    done = run.ended()
    assert done.code == 0, done.out + done.err
    files = [path for path in Path(done.json["bundle"]).rglob("*") if path.is_file()]
    kept = b"".join(path.read_bytes() for path in files)
    assert not any(f"{name[::-1]} secret".encode() in kept for name in NAMES)
    assert " secret" not in done.out + done.err
    cleaned = headcount.run("cleanup", "--target", store.target, "--logins", str(people))
    assert cleaned.code == 0, cleaned
    assert "deleted 100 keys" in cleaned.out + cleaned.err


def test_a_wrong_password_of_one_user_is_an_error(
    headcount: Headcount, store: Store, people: Path
) -> None:
    text = people.read_text("utf-8").replace("ada secret", "another one")
    people.write_text(text.replace("ada,", "ada,x"), "utf-8")
    line = ("run", "ycsb-a", "--target", store.target, "--logins", str(people), *SCALE)
    done = headcount.run(*line, "--users", "3")
    assert done.code == 2
    assert "WRONGPASS" in done.err
    assert "secret" not in done.out + done.err


def test_users_have_a_file_or_one_name(headcount: Headcount, store: Store, people: Path) -> None:
    line = ("run", "ycsb-a", "--target", store.target, *SCALE)
    done = headcount.run(*line, "--user", "{n}", HEADCOUNT_PASSWORD="x")  # noqa: S106 - no server asks for it
    assert done.code == 2
    assert "give --logins FILE" in " ".join(done.err.split())
    done = headcount.run(*line, "--users", "4", "--logins", str(people))
    assert done.code == 2
    assert "has 3 rows" in " ".join(done.err.split())
