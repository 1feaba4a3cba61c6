"""Files on somebody's share: made once, checked, used by runs, and deleted without a trace."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from file_server import FileServer, damage, events, serving
from headcount.bundle import reader
from processes import Ended, Headcount

pytestmark = pytest.mark.e2e

SCALE = ("--scale", "0.01")
"""3 files that are read, 1 that is rewritten, 1 that all share."""
RUN = ("--pace", "100ms", "--ramp", "0s", "--settle", "0s", "--duration", "3s", "--seed", "5")
NOTES = {
    "letters/": b"",
    "letters/to the bank.txt": b"Dear Sir or Madam",
    "headcount.txt": b"not the folder",
}
"""What was on the share before."""


@pytest.fixture(scope="module")
def headcount(
    tmp_path_factory: pytest.TempPathFactory, file_server: FileServer
) -> Iterator[Headcount]:
    command = Headcount(tmp_path_factory.mktemp("smb_data_set"))
    command.environment["HEADCOUNT_PASSWORD"] = file_server.password
    (file_server.shares / "letters").mkdir()
    for name, content in NOTES.items():
        if not name.endswith("/"):
            (file_server.shares / name).write_bytes(content)
    yield command
    command.close()


def prepare(headcount: Headcount, target: str, users: int, *options: str) -> Any:
    ended = headcount.run(
        *("prepare", "home-folders", "--target", target, "--users", str(users)),
        *(*SCALE, *options, "--json"),
    )
    assert ended.code == 0, ended
    return ended.json


def test_data_is_prepared_once_used_by_runs_and_deleted(
    headcount: Headcount, file_server: FileServer
) -> None:
    target = file_server.target
    first = prepare(headcount, target, 3)
    assert (first["created_users"], first["kept_users"], first["scale"]) == (3, 0, 0.01)
    made = file_server.files()
    assert set(NOTES) < set(made)
    documents = {name: content for name, content in made.items() if name.endswith(".doc")}
    assert sorted(Path(name).parts[1] for name in documents) == sorted(
        [*["user00000"] * 4, *["user00001"] * 4, *["user00002"] * 4, "shared"]
    )
    assert first["written_bytes"] == sum(map(len, documents.values()))
    assert b"everything in it is made and deleted by" in made["headcount/.headcount"]

    before = file_server.state()
    again = prepare(headcount, target, 3)
    assert (again["created_users"], again["kept_users"], again["written_bytes"]) == (0, 3, 0)
    assert file_server.state() == before

    more = prepare(headcount, target, 4)
    assert (more["created_users"], more["kept_users"]) == (1, 3)
    assert {name: file_server.state()[name] for name in before} == before

    ended = headcount.run("run", "home-folders", "--target", target, "--users", "4", *SCALE, *RUN)
    assert ended.code in (0, 1, 4), ended
    (prepared,) = events(headcount.bundles()[-1], "prepared")
    assert (prepared["created_users"], prepared["kept_users"]) == (0, 4)
    assert prepared["written_bytes"] == 0

    cleaned = headcount.run("cleanup", "--target", target, "--json")
    assert cleaned.code == 0, cleaned
    assert "of 4 users" in cleaned.json["cleaned"]
    assert file_server.files() == NOTES

    nothing = headcount.run("cleanup", "--target", target)
    assert (nothing.code, nothing.out) == (0, "there is no data set of Headcount's\n")
    assert nothing.err == ""


def test_another_scale_makes_another_data_set(
    headcount: Headcount, file_server: FileServer
) -> None:
    target = file_server.target
    prepare(headcount, target, 2)
    changed = prepare(headcount, target, 1, "--scale", "0.02")
    assert (changed["created_users"], changed["kept_users"]) == (1, 0)
    found = [name for name in file_server.files() if name.endswith(".doc")]
    assert len([name for name in found if "user00000" in name]) == 6 + 1
    assert not [name for name in found if "user00001" in name]
    assert headcount.run("cleanup", "--target", target).code == 0
    assert file_server.files() == NOTES


def test_cleanup_leaves_files_of_others(headcount: Headcount, file_server: FileServer) -> None:
    prepare(headcount, file_server.target, 1)
    stray = file_server.shares / "headcount" / "somebody's.txt"
    stray.write_text("do not lose me")
    cleaned = headcount.run("cleanup", "--target", file_server.target)
    assert cleaned.code == 0
    assert "of 1 user; left the folder with 1 name that no data set has" in cleaned.out
    kept = file_server.files()
    assert kept.pop("headcount/somebody's.txt") == b"do not lose me"
    assert not any(name.endswith(".doc") for name in kept)
    stray.unlink()
    assert headcount.run("cleanup", "--target", file_server.target).code == 0
    assert file_server.files() == NOTES


def test_users_are_spread_over_several_shares(headcount: Headcount, tmp_path_factory: Any) -> None:
    with serving(tmp_path_factory.mktemp("samba"), shares="3") as server:
        headcount_of_three = {"HEADCOUNT_PASSWORD": server.password}

        def run(*arguments: str) -> Ended:
            options = ("--target", server.target, "--shares", "3", "--json")
            return headcount.run(*arguments, *options, **headcount_of_three)

        made = run("prepare", "home-folders", "--users", "4", *SCALE).json
        assert made["created_users"] == 4
        places = {tuple(Path(name).parts[:3:2]) for name in server.files() if name.endswith(".doc")}
        assert places == {
            ("home00000", "user00000"),
            ("home00001", "user00001"),
            ("home00002", "user00002"),
            ("home00000", "user00003"),
            *((f"home0000{share}", "shared") for share in range(3)),
        }
        played = run("run", "home-folders", "--users", "4", *SCALE, *RUN)
        assert played.code in (0, 1, 4), played
        (level,) = reader.load(Path(played.json["bundle"])).levels
        assert level.faults == []
        assert level.total.completed > 0
        cleaned = run("cleanup").json["cleaned"]
        assert "of 4 users" in cleaned
        assert set(server.files()) == {"home00000/", "home00001/", "home00002/"}


@pytest.fixture
def damaged(headcount: Headcount, file_server: FileServer) -> Iterator[FileServer]:
    """The share with one user's files; bytes of those that are only read have changed."""
    prepare(headcount, file_server.target, 1)
    victims = sorted(file_server.shares.rglob("s*.doc"))
    assert len(victims) == 3
    for path in victims:
        damage(path)
    yield file_server
    assert headcount.run("cleanup", "--target", file_server.target).code == 0


def test_data_that_changes_behind_the_servers_back_fails_the_level(
    headcount: Headcount, damaged: FileServer
) -> None:
    run = ("run", "home-folders", "--target", damaged.target, "--users", "1", *SCALE, *RUN)
    # One mistake is one too many, however many are allowed to fail.
    ended = headcount.run(*run, "--criteria", "errors<90%", "--json")
    assert ended.code == 1, ended
    bundle = Path(ended.json["bundle"])
    (level,) = reader.load(bundle).levels
    assert level.outcome == "failed"
    wrong = [fault for fault in level.faults if fault.kind == "wrong-data"]
    assert wrong
    assert {fault.step for fault in wrong} <= {"read-header", "read-file"}
    for example in (example for fault in wrong for example in fault.examples):
        found = re.search(
            r'"headcount\\user00000\\(?:d\d+\\)?s000\d\.doc" at offset (\d+)', example
        )
        assert found, example
        assert int(found[1]) % 4096 == 0
    assert ended.json["broke_first"] is not None
    assert any(wrong[0].examples[0] in reason for reason in level.reasons)
    report = (bundle / "report.html").read_text("utf-8")
    assert "wrong-data" in report

    blind = headcount.run(*run, "--criteria", "errors<90%", "--client", "verify=off", "--json")
    (level,) = reader.load(Path(blind.json["bundle"])).levels
    assert level.faults == []
    assert level.outcome in ("passed", "invalid")


def test_damage_is_found_and_repaired(headcount: Headcount, damaged: FileServer) -> None:
    before = {name: content for name, content in damaged.files().items() if "/s0" in name}
    unchecked = prepare(headcount, damaged.target, 1)
    assert (unchecked["created_users"], unchecked["written_bytes"]) == (0, 0)
    repaired = prepare(headcount, damaged.target, 1, "--verify")
    assert repaired["written_bytes"] == sum(map(len, before.values()))
    after = damaged.files()
    assert all(len(after[name]) == len(content) for name, content in before.items())
    assert all(after[name] != content for name, content in before.items())
    assert prepare(headcount, damaged.target, 1, "--verify")["written_bytes"] == 0
    assert damaged.files() == after


def test_no_password_is_kept_anywhere(headcount: Headcount, file_server: FileServer) -> None:
    for bundle in headcount.bundles():
        for path in bundle.iterdir():
            assert file_server.password.encode() not in path.read_bytes(), path
    plan = headcount.bundles()[0] / "plan.toml"
    assert "password" not in plan.read_text("utf-8")
    environment = json.loads((headcount.bundles()[0] / "environment.json").read_bytes())
    assert environment["target"] == file_server.target
