"""Runs on a real Samba that are interrupted or killed, and the password that one asks for."""

from signal import SIGINT, SIGKILL

import pytest

from file_server import FileServer, alive, events, lab_processes
from headcount.bundle import reader
from processes import Command, Headcount, phase, processes_with, wait_for
from terminal import Terminal

pytestmark = pytest.mark.e2e

RUN = ("--scale", "0.01", "--pace", "200ms", "--ramp", "0s", "--settle", "0s")


def start(headcount: Headcount, *options: str) -> Command:
    return headcount.start("run", "home-folders", "--target", "lab:samba", *RUN, *options)


def measuring(headcount: Headcount) -> bool:
    return bool(headcount.bundles()) and phase(headcount.bundle) == "steady"


def interrupt(command: Command) -> None:
    command.send(SIGINT)
    ended = command.ended()
    assert ended.code == 130, ended
    assert "Traceback" not in ended.err


def test_ctrl_c_while_the_data_is_prepared(headcount: Headcount) -> None:
    # 11 GB: longer than anybody waits, and stopped after a few files.
    run = start(headcount, "--users", "200", "--scale", "0.5", "--duration", "3s")
    run.reach(lambda: list(headcount.lab.glob("*/data/headcount/user*/*.doc")))
    server = lab_processes(headcount)
    interrupt(run)
    assert alive(server) == []
    assert headcount.leftovers() == []
    found = reader.load(headcount.bundle)
    assert found.levels == []
    assert found.verdict is not None
    assert found.verdict.outcome == "interrupted"
    assert events(headcount.bundle, "prepared") == []  # not the 11 GB, but a few files
    assert events(headcount.bundle, "level-start") == []


def test_ctrl_c_during_a_level_and_resumed(headcount: Headcount) -> None:
    run = start(headcount, "--levels", "2,3", "--duration", "2s")
    run.reach(lambda: len(events(headcount.bundle, "level-start")) == 2 if run.err else False)
    server = lab_processes(headcount)
    interrupt(run)
    assert alive(server) == []
    assert headcount.leftovers() == []
    found = reader.load(headcount.bundle)
    assert [level.users for level in found.levels] == [2]
    assert (headcount.bundle / "report.html").exists()
    resumed = headcount.run("resume", str(headcount.bundle), "--json")
    assert resumed.code in (0, 1, 4), resumed
    again = reader.load(headcount.bundle)
    assert [level.users for level in again.levels] == [2, 3]
    assert again.levels[0] == found.levels[0]
    assert [event["created_users"] for event in events(headcount.bundle, "prepared")] == [2, 1, 3]
    assert headcount.leftovers() == []


def test_killed_with_its_server_under_load(headcount: Headcount) -> None:
    run = start(headcount, "--users", "4", "--duration", "60s")
    run.reach(lambda: measuring(headcount))
    server = lab_processes(headcount)
    assert len(server) > 4
    run.send(SIGKILL)
    run.ended()
    wait_for(lambda: not alive(server))
    wait_for(lambda: not headcount.leftovers())
    wait_for(lambda: not headcount.servers())
    (row,) = headcount.run("runs", "--json").json
    assert row["answer"] == f"killed; go on with headcount resume {headcount.bundle}"


def test_ctrl_c_while_somebodys_share_is_prepared(
    headcount: Headcount, file_server: FileServer
) -> None:
    target = ("--target", file_server.target)
    headcount.environment["HEADCOUNT_PASSWORD"] = file_server.password
    prepare = headcount.start(
        "prepare", "home-folders", "--users", "200", "--scale", "0.1", *target
    )
    prepare.reach(lambda: list(file_server.shares.glob("headcount/user*/*.doc")))
    interrupt(prepare)
    assert len(list(file_server.shares.glob("headcount/user*"))) < 200
    # What is there stays, and the next goes on with it or takes it away.
    assert headcount.run("cleanup", *target).code == 0
    assert file_server.files() == {}


def test_the_password_is_asked_for_and_never_shown(
    headcount: Headcount, file_server: FileServer
) -> None:
    headcount.home.mkdir()
    password = file_server.password
    options = ("--target", file_server.target, "--users", "1", "--duration", "2s")
    terminal = Terminal(headcount, "run", "home-folders", *RUN, *options)
    try:
        terminal.until(b"Password of the users of " + file_server.target.encode())
        terminal.type(password.encode() + b"\n")
        terminal.until(b"p95")
        assert processes_with(password) == []
        assert terminal.ended() in (0, 1, 4), terminal.seen
    finally:
        terminal.close()
    assert password.encode() not in terminal.seen
    for path in headcount.bundle.iterdir():
        assert password.encode() not in path.read_bytes(), path
