"""Runs that are asked to end: they keep what was measured, stop their server, and say so."""

import os
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from signal import SIGHUP, SIGINT, SIGTERM, Signals

import pytest
from recomputed import read_series

from headcount.bundle import reader
from processes import Command, Headcount, lines, phase

pytestmark = pytest.mark.e2e

LIGHT = str(Path(__file__).with_name("light.toml"))


def interrupt(command: Command, signal: Signals) -> None:
    """Interrupt a command and wait for its end."""
    command.send(signal)
    assert command.ended().code == 130, command.err
    assert "Traceback" not in command.err


def event_names(bundle: Path) -> list[str]:
    """The names of a run's events, in order."""
    return [event["event"] for event in lines(bundle / "events.ndjson")]


def assert_clean(headcount: Headcount) -> None:
    assert headcount.servers() == []
    assert headcount.leftovers() == []


@pytest.mark.parametrize("signal", [SIGINT, SIGTERM, SIGHUP])
def test_in_the_ramp(headcount: Headcount, signal: Signals) -> None:
    options = ("--users", "20", "--ramp", "60s", "--json")
    run = headcount.start("run", LIGHT, "--target", "lab:app", *options)
    run.reach(lambda: headcount.bundles() and phase(headcount.bundle) == "ramp")
    interrupt(run, signal)
    assert_clean(headcount)
    verdict = run.ended().json
    assert verdict["outcome"] == "interrupted"
    assert verdict["report"] is None
    found = reader.load(headcount.bundle)
    assert found.levels == []
    assert found.verdict is not None
    assert found.verdict.outcome == "interrupted"
    # The ramp was cut short, and nothing came after it.
    seconds = read_series(headcount.bundle)
    assert {second["phase"] for second in seconds} == {"ramp"}
    assert seconds[-1]["users"] < 20
    assert event_names(headcount.bundle)[-1] == "interrupted"
    assert (headcount.bundle / "series.parquet").exists()


def test_in_the_steady_part_of_the_second_level(headcount: Headcount) -> None:
    options = ("--levels", "2,4,6", "--duration", "2s")
    run = headcount.start("run", LIGHT, "--target", "lab:app", *options)

    def reached() -> bool:
        seconds = lines(headcount.bundle / "series.ndjson") if headcount.bundles() else []
        return bool(seconds) and (seconds[-1]["level"], seconds[-1]["phase"]) == (2, "steady")

    run.reach(reached)
    interrupt(run, SIGINT)
    assert_clean(headcount)
    found = reader.load(headcount.bundle)
    assert [level.users for level in found.levels] == [2]
    assert found.verdict is not None
    assert found.verdict.outcome == "interrupted"
    assert found.events[-1]["event"] == "interrupted"
    assert (headcount.bundle / "report.html").exists()
    shown = headcount.run("show", str(headcount.bundle))
    assert f"headcount resume {headcount.bundle}" in shown.out.replace("\n", "")
    resumed = headcount.run("resume", str(headcount.bundle))
    assert resumed.code in (0, 4)
    again = reader.load(headcount.bundle)
    assert [level.users for level in again.levels] == [2, 4, 6]
    assert again.levels[0] == found.levels[0]


def test_while_the_data_is_prepared(headcount: Headcount) -> None:
    # 2,000 files of 5 MB: longer than anybody waits, and stopped after a few.
    options = ("--users", "2000", "--scale", "0.25")
    run = headcount.start("run", "app-server", "--target", "lab:app", *options)
    run.reach(lambda: list(headcount.lab.glob("*/client-*.dat")))
    interrupt(run, SIGINT)
    assert_clean(headcount)
    assert "prepared" not in event_names(headcount.bundle)  # not the 10 GB, but a few files
    found = reader.load(headcount.bundle)
    assert found.verdict is not None
    assert found.verdict.outcome == "interrupted"
    assert found.levels == []


def test_repeated_ctrl_c_does_not_cut_the_results_short(headcount: Headcount) -> None:
    run = headcount.start("run", LIGHT, "--target", "lab:app", "--levels", "2,4,6")
    run.reach(lambda: headcount.bundles() and (headcount.bundle / "levels.json").exists())
    for _ in range(10):
        if run.process.poll() is None:
            run.send(SIGINT)
        time.sleep(0.02)
    assert run.ended().code == 130
    assert "Traceback" not in run.err
    assert_clean(headcount)
    found = reader.load(headcount.bundle)
    assert found.verdict is not None
    assert found.verdict.outcome == "interrupted"
    assert found.verdict.cost.levels == len(found.levels) == 1
    assert (headcount.bundle / "report.html").exists()


def test_nohup_is_respected(headcount: Headcount) -> None:
    # A command that is started with a signal ignored goes on ignoring it.
    run = headcount.start("run", LIGHT, "--target", "lab:app", "--users", "2", ignored="HUP")
    run.reach(lambda: headcount.bundles() and phase(headcount.bundle) == "steady")
    run.send(SIGHUP)
    assert run.ended().code in (0, 4)


def test_an_interrupted_server_keeps_its_data(headcount: Headcount, tmp_path: Path) -> None:
    data = tmp_path / "data"
    server, target = headcount.serve(data)
    prepared = headcount.run("prepare", LIGHT, "--target", target, "--users", "2", "--seed", "1")
    assert prepared.code == 0, prepared
    server.send(SIGINT)
    assert server.ended().code == 0
    assert len(list(data.glob("client-*.dat"))) == 2


def test_a_server_that_waits_for_its_token_is_interrupted(
    headcount: Headcount, tmp_path: Path
) -> None:
    token, data = tmp_path / "token", tmp_path / "data"
    os.mkfifo(token)
    options = ("--data", str(data), "--listen", "127.0.0.1:0", "--token-file", str(token))
    server = headcount.start("serve", "app", *options)
    with ExitStack() as opened:

        def is_being_read() -> bool:
            with suppress(OSError):  # no reader yet
                opened.callback(os.close, os.open(token, os.O_WRONLY | os.O_NONBLOCK))
                return True
            return False

        server.reach(is_being_read)
        interrupt(server, SIGINT)
    assert server.out == ""
