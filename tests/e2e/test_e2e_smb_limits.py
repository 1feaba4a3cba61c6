"""A file server that takes less at a time than others, and one with users of its own."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from file_server import FileServer, serving
from processes import Ended, Headcount, wait_for

PACE = ("--pace", "200ms", "--ramp", "0s", "--settle", "1s", "--duration", "4s", "--seed", "5")
RUN = ("--users", "3", "--scale", "0.02", *PACE, "--json")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FileServer]:
    with serving(tmp_path / "server") as server:
        yield server


def failed_scenarios(done: Ended) -> int:
    """Scenarios that failed in the run's only level, which played some."""
    levels = json.loads((Path(done.json["bundle"]) / "levels.json").read_bytes())["levels"]
    assert sum(one["completed"] for one in levels[0]["scenarios"]) > 0
    return sum(int(one["failed"]) for one in levels[0]["scenarios"])


def largest_sizes(done: Ended) -> tuple[str, str]:
    """What the server says of its largest read and write."""
    found = json.loads((Path(done.json["bundle"]) / "environment.json").read_bytes())
    settings = {key: value for side in found["sides"] for key, value in side["settings"].items()}
    return settings["SMB largest read"], settings["SMB largest write"]


def test_a_servers_limits_are_kept(headcount: Headcount, server: FileServer) -> None:
    limits = ("smb2 max read = 32768", "smb2 max write = 8192", "smb2 max trans = 32768")
    server.configure("\n".join(limits))
    headcount.environment["HEADCOUNT_PASSWORD"] = server.password
    line = ("run", "home-folders", "--target", server.target)

    def limited() -> bool:
        done = headcount.run(*line, *RUN)
        assert done.json["outcome"] in ("passed", "failed"), done.out + done.err
        assert failed_scenarios(done) == 0
        return largest_sizes(done) == ("32768 bytes", "8192 bytes")

    wait_for(limited)


def test_users_log_on_with_passwords_of_their_own(
    headcount: Headcount, server: FileServer, tmp_path: Path
) -> None:
    passwords = {"games": "first-secret", "man": "second-secret", "backup": "third-secret"}
    server.have_accounts(passwords)
    people = tmp_path / "people.csv"
    line = ("run", "home-folders", "--target", server.target, "--logins", str(people))

    def run_with(known: Mapping[str, str]) -> Ended:
        rows = "".join(f"{name},{password}\n" for name, password in known.items())
        people.write_text(f"username,password\n{rows}", "utf-8")
        people.chmod(0o600)
        return headcount.run(*line, *RUN)

    done = run_with(passwords)
    assert done.json["outcome"] in ("passed", "failed"), done.out + done.err
    assert failed_scenarios(done) == 0
    files = [path for path in Path(done.json["bundle"]).rglob("*") if path.is_file()]
    kept = b"".join(path.read_bytes() for path in files)
    assert not any(password.encode() in kept for password in passwords.values())
    # Each has its own: one that has another's is not let in.
    again = run_with({**passwords, "backup": "first-secret"})
    assert again.json["outcome"] == "failed"
    assert failed_scenarios(again) > 0


def test_users_of_a_file_log_on_by_their_names(
    headcount: Headcount, server: FileServer, tmp_path: Path
) -> None:
    server.know_only("augusta", "bertrand", "celestine")
    people = tmp_path / "people.csv"
    rows = "".join(f"{one},{server.password}\n" for one in ("augusta", "bertrand", "celestine"))
    people.write_text(f"username,password\n{rows}", "utf-8")
    people.chmod(0o600)
    line = ("run", "home-folders", "--target", server.target, "--logins", str(people))
    done = headcount.run(*line, *RUN)
    assert done.json["outcome"] in ("passed", "failed"), done.out + done.err
    assert failed_scenarios(done) == 0
    bundle = Path(done.json["bundle"])
    kept = b"".join(path.read_bytes() for path in bundle.rglob("*") if path.is_file())
    assert server.password.encode() not in kept
    server.know_only("augusta", "bertrand")
    again = headcount.run(*line, *RUN)
    assert again.json["outcome"] == "failed"
    assert failed_scenarios(again) > 0
