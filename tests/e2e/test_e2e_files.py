"""Files below a folder: prepared once, used by runs, shared with SMB, deleted without a trace."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from signal import SIGINT
from typing import Any

import pytest

from file_server import FileServer, damage, events
from headcount.bundle import reader
from processes import Ended, Headcount

pytestmark = pytest.mark.e2e

SCALE = ("--scale", "0.01")
"""3 files that are read, 1 that is rewritten, 1 that all share."""
RUN = ("--pace", "100ms", "--ramp", "0s", "--settle", "0s", "--duration", "3s", "--seed", "5")


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    folder = tmp_path / "my disk"
    folder.mkdir()
    (folder / "letter.txt").write_text("mine")
    return folder


def target(disk: Path) -> str:
    return "file://" + str(disk).replace(" ", "%20")


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def prepare(headcount: Headcount, place: str, users: int, *options: str) -> Any:
    ended = headcount.run(
        *("prepare", "home-folders", "--target", place, "--users", str(users)),
        *(*SCALE, *options, "--json"),
    )
    assert ended.code == 0, ended
    return ended.json


def test_data_is_prepared_once_used_by_runs_and_deleted(headcount: Headcount, disk: Path) -> None:
    first = prepare(headcount, target(disk), 3)
    assert (first["created_users"], first["kept_users"]) == (3, 0)
    made = contents(disk)
    documents = {name: data for name, data in made.items() if name.endswith(".doc")}
    assert len(documents) == 3 * 4 + 1
    assert first["written_bytes"] == sum(map(len, documents.values()))
    again = prepare(headcount, target(disk), 3)
    assert (again["created_users"], again["kept_users"], again["written_bytes"]) == (0, 3, 0)

    damage(disk / next(name for name in documents if "/s0" in name))
    mended = prepare(headcount, target(disk), 3, "--verify")
    assert (mended["created_users"], mended["kept_users"]) == (1, 2)
    assert contents(disk) == made

    ended = headcount.run(
        "run", "home-folders", "--target", target(disk), "--users", "3", *SCALE, *RUN
    )
    assert ended.code in (0, 1, 4), ended
    (prepared,) = events(headcount.bundle, "prepared")
    assert (prepared["created_users"], prepared["kept_users"]) == (0, 3)
    assert_reported(headcount, disk)

    cleaned = headcount.run("cleanup", "--target", target(disk), "--json")
    assert cleaned.code == 0, cleaned
    assert "of 3 users" in cleaned.json["cleaned"]
    assert contents(disk) == {"letter.txt": b"mine"}
    nothing = headcount.run("cleanup", "--target", target(disk))
    assert (nothing.code, nothing.out) == (0, "there is no data set of Headcount's\n")


def assert_reported(headcount: Headcount, disk: Path) -> None:
    """The level, the system calls, the folder and the file system are reported."""
    found = reader.load(headcount.bundle)
    (level,) = found.levels
    assert level.total.failed == 0, level
    assert level.total.completed > 50
    # Each open is closed, but for those at the edges of the measured part.
    opened, closed = level.requests["openat2"], level.requests["close"]
    assert opened > level.total.completed
    assert 0.6 < closed / opened <= 1.0
    assert level.counters["sut"], "this machine is the system under test"
    text = (headcount.bundle / "report.html").read_text("utf-8")
    assert "The system calls made at 3 users" in text
    environment = json.loads((headcount.bundle / "environment.json").read_text("utf-8"))
    (side,) = environment["sides"]
    assert side["role"] == "both"
    assert side["settings"]["folder"] == str(disk)
    (system,) = side["host"]["file_systems"]
    assert system["path"] == str(disk)
    assert side["settings"]["file system"].startswith(f"{system['kind']}, ")


def test_smb_and_the_folder_share_one_data_set(
    headcount: Headcount, file_server: FileServer
) -> None:
    headcount.environment["HEADCOUNT_PASSWORD"] = file_server.password
    here = f"file://{file_server.shares}"
    prepare(headcount, file_server.target, 2)
    through_smb = contents(file_server.shares)
    found = prepare(headcount, here, 2, "--verify")
    assert (found["created_users"], found["kept_users"], found["written_bytes"]) == (0, 2, 0)
    assert headcount.run("cleanup", "--target", here).code == 0
    assert contents(file_server.shares) == {}

    prepare(headcount, here, 3)
    through_here = contents(file_server.shares)
    assert through_smb.items() <= through_here.items()
    found = prepare(headcount, file_server.target, 3, "--verify")
    assert (found["created_users"], found["kept_users"], found["written_bytes"]) == (0, 3, 0)
    assert headcount.run("cleanup", "--target", file_server.target).code == 0
    assert contents(file_server.shares) == {}


@pytest.mark.parametrize("client", ["engine=threads", "mode=direct", "mode=dsync"])
def test_the_lab_runs_with_every_client_option(
    headcount: Headcount, disk: Path, client: str
) -> None:
    ended = headcount.run(
        *("run", "home-folders", "--target", "lab:files", "--set", f"path={disk}", "--users", "2"),
        *("--client", client, *SCALE, *RUN),
    )
    assert ended.code in (0, 1, 4), ended
    (level,) = reader.load(headcount.bundle).levels
    assert level.total.failed == 0
    assert level.total.completed > 20
    assert contents(disk) == {"letter.txt": b"mine"}
    assert [path.name for path in disk.iterdir()] == ["letter.txt"]


def test_wrong_data_fails_the_level(headcount: Headcount, disk: Path) -> None:
    prepare(headcount, target(disk), 1)
    for path in disk.rglob("s0*.doc"):
        damage(path)
    ended = headcount.run(
        "run", "home-folders", "--target", target(disk), "--users", "1", *SCALE, *RUN
    )
    assert ended.code == 1, ended
    (level,) = reader.load(headcount.bundle).levels
    assert level.outcome == "failed"
    examples = [example for fault in level.faults for example in fault.examples]
    assert any(re.search(r'wrong data in "headcount/user00000/.*s0', one) for one in examples)


@pytest.mark.parametrize("place", ["folder", "lab"])
def test_ctrl_c_while_the_data_is_prepared(headcount: Headcount, disk: Path, place: str) -> None:
    where = ("lab:files", "--set", f"path={disk}") if place == "lab" else (target(disk),)
    run = headcount.start(
        *("run", "home-folders", "--users", "200", "--scale", "0.2", *RUN, "--target", *where)
    )
    run.reach(lambda: list(disk.rglob("user*/*.doc")))
    run.send(SIGINT)
    ended = run.ended()
    assert ended.code == 130, ended
    assert "Traceback" not in ended.err
    assert events(headcount.bundle, "prepared") == []
    if place == "folder":
        assert headcount.run("cleanup", "--target", target(disk)).code == 0
    assert [path.name for path in disk.iterdir()] == ["letter.txt"]


def run_on(headcount: Headcount, place: str, *options: str, **environment: str) -> Ended:
    return headcount.run(
        *("run", "home-folders", "--target", place, "--users", "1", *SCALE, *RUN, *options),
        **environment,
    )


def assert_refused(ended: Ended, code: int, *texts: str) -> None:
    assert ended.code == code, ended
    message = " ".join(ended.message.split())
    for text in texts:
        assert text in message, message
    assert ended.out == ""


def test_mistakes_are_errors_and_nothing_is_written(headcount: Headcount, disk: Path) -> None:
    before = contents(disk)
    assert_refused(run_on(headcount, "file://my/disk"), 2, "with three slashes")
    assert_refused(
        run_on(headcount, "file:///nobody/has/it"), 2, "it does not exist: create or mount"
    )
    letter = target(disk / "letter.txt")
    assert_refused(run_on(headcount, letter), 2, "it is not a folder")
    wrong = run_on(headcount, target(disk), "--client", "mode=fast")
    assert_refused(wrong, 2, "[client]", "buffered")
    assert_refused(run_on(headcount, target(disk), "--shares", "2"), 2, "has no shares")
    many = headcount.run(
        *("run", "home-folders", "--target", target(disk), "--users", "1000000", *SCALE, *RUN),
    )
    assert_refused(many, 5, "file handles", "raise the limit first: ulimit -n")
    assert contents(disk) == before
    assert headcount.bundles() == []


def test_a_folder_of_others_is_left_alone(headcount: Headcount, disk: Path) -> None:
    (disk / "headcount").mkdir()
    (disk / "headcount" / "diary.txt").write_text("mine")
    before = contents(disk)
    message = "is not empty and was not made by Headcount"
    assert_refused(run_on(headcount, target(disk)), 2, message)
    assert_refused(headcount.run("cleanup", "--target", target(disk)), 2, message)
    assert contents(disk) == before


@pytest.fixture
def confined(headcount: Headcount, disk: Path) -> Iterator[Path]:
    """A disk on which the user of Headcount may not create anything."""
    del headcount
    disk.chmod(0o555)
    yield disk
    disk.chmod(0o755)


def test_no_permission_to_write(headcount: Headcount, confined: Path) -> None:
    # Root may write everywhere, but not from a user namespace of its own.
    command = headcount.start(
        *("prepare", "home-folders", "--users", "1", *SCALE, "--target", target(confined)),
        before=("unshare", "--user") if os.getuid() == 0 else (),
    )
    assert_refused(command.ended(), 2, "nothing can be written in", "EACCES (13)")


def test_a_disk_that_is_read_only(headcount: Headcount, disk: Path) -> None:
    script = f"mount -t tmpfs -o ro,size=1m tmpfs '{disk}' && exec \"$@\""
    command = headcount.start(
        *("prepare", "home-folders", "--users", "1", *SCALE, "--target", target(disk)),
        before=("unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh"),
    )
    assert_refused(command.ended(), 2, "nothing can be written in", "mounted read-only")
