"""Agents that are lost: the level does not count, and is played again by those who are left."""

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from generator_agents import agents_of, is_agent

from processes import Command, Headcount, lines, wait_for

LIGHT = Path(__file__).parent.parent / "e2e" / "light.toml"
LEVEL = ("--users", "30", "--duration", "4s", "--ramp", "0s")
LADDER = ("--levels", "20,30", "--duration", "4s", "--ramp", "0s")


def begin(headcount: Headcount, agents: int, *load: str) -> Command:
    arguments = ("--target", "lab:app", "--agents", str(agents))
    return headcount.start("run", str(LIGHT), *arguments, *load)


def events(headcount: Headcount, name: str) -> list[dict[str, Any]]:
    (bundle,) = headcount.runs.iterdir()
    return [one for one in lines(bundle / "events.ndjson") if one["event"] == name]


def seconds_of(headcount: Headcount, level: int) -> list[Any]:
    """The seconds of a level so far."""
    found = list(headcount.runs.glob("*/series.ndjson"))
    return [one for one in (lines(found[0]) if found else []) if one["level"] == level]


def in_level(headcount: Headcount, level: int, seconds: int) -> Callable[[], bool]:
    """Whether this many seconds of a level are measured."""

    def reached() -> bool:
        steady = [one for one in seconds_of(headcount, level) if one["phase"] == "steady"]
        return len(steady) >= seconds

    return reached


@pytest.mark.parametrize(
    ("name", "reason"),
    [(signal.SIGKILL, "it ended, or its connection did"), (signal.SIGSTOP, "reported nothing for")],
    ids=["killed", "stopped"],
)
def test_the_level_is_played_again_without_the_lost_agent(
    headcount: Headcount, name: signal.Signals, reason: str
) -> None:
    run = begin(headcount, 3, *LADDER)
    run.reach(in_level(headcount, 2, 1))
    lost = agents_of(run)[1]
    os.kill(lost, name)
    ended = run.ended()
    assert ended.code == 0, ended
    assert not is_agent(lost)
    (event,) = events(headcount, "agents-lost")
    found = re.match(r"agent (\d) ", event["message"])
    assert found is not None
    number = int(found[1])
    left = [one for one in (1, 2, 3) if one != number]
    assert reason in event["message"]
    assert event["left"] == "2 of 3 agents go on"
    before, after = events(headcount, "agents")
    assert [one["number"] for one in after["agents"]] == left
    assert (before["workers"], after["workers"]) == (3, 2)
    shown = headcount.run("show", str(next(headcount.runs.iterdir())), "--json").json
    levels = [(one["index"], one["users"], one["outcome"]) for one in shown["levels"]]
    assert levels == [(1, 20, "passed"), (2, 30, "invalid"), (3, 30, "passed")]
    assert shown["levels"][1]["reasons"][0] == event["message"]
    assert [one["agents_lost"] for one in shown["levels"]] == [False, True, False]
    again = shown["levels"][2]["counters"]
    users = [again[f"agent-{one}"]["agent.users"]["mean"] for one in left]
    assert users == [pytest.approx(15)] * 2
    assert f"agent-{number}" not in again
    audited = headcount.run("audit", str(next(headcount.runs.iterdir())))
    assert audited.code == 0, audited


def test_an_agent_lost_between_levels_costs_no_level(headcount: Headcount) -> None:
    run = begin(headcount, 2, "--levels", "20,30,20", "--duration", "2s", "--ramp", "0s")
    run.reach(lambda: len(seconds_of(headcount, 1)) > 2 or seconds_of(headcount, 2))
    os.kill(agents_of(run)[0], signal.SIGKILL)
    ended = run.ended()
    assert ended.code == 0, ended
    shown = headcount.run("show", str(headcount.bundle), "--json").json
    counted = [one["users"] for one in shown["levels"] if not one["agents_lost"]]
    assert counted == [20, 30, 20]
    assert len(shown["levels"]) <= 4


def test_without_any_agent_left_the_run_ends_and_keeps_what_it_has(headcount: Headcount) -> None:
    run = begin(headcount, 2, *LADDER)
    run.reach(in_level(headcount, 2, 1))
    for one in agents_of(run):
        os.kill(one, signal.SIGKILL)
    ended = run.ended()
    assert ended.code == 3, ended
    assert ended.message.startswith("no agent is left: agent ")
    bundle = next(headcount.runs.iterdir())
    shown = headcount.run("show", str(bundle), "--json").json
    # The level under way is kept, too, if the loss of one was seen before that of the other.
    assert [one["outcome"] for one in shown["levels"] if not one["agents_lost"]] == ["passed"]
    resumed = headcount.run("resume", str(bundle))
    assert resumed.code == 0, resumed
    assert "passed" in resumed.out


@pytest.mark.parametrize("name", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_agents_end_with_their_controller(headcount: Headcount, name: signal.Signals) -> None:
    run = begin(headcount, 2, *LEVEL)
    run.reach(in_level(headcount, 1, 1))
    agents = agents_of(run)
    assert len(agents) == 2
    run.send(name)
    assert run.ended().code in {-9, 130}
    wait_for(lambda: not any(is_agent(one) for one in agents), 30)


def test_agents_end_their_load_when_the_controller_hangs(headcount: Headcount) -> None:
    run = begin(headcount, 2, "--users", "30", "--duration", "60s", "--ramp", "0s")
    run.reach(in_level(headcount, 1, 1))
    agents = agents_of(run)
    run.send(signal.SIGSTOP)
    try:
        # Each user has a connection; the load ends with the last of them.
        wait_for(lambda: all(connections(one) == 0 for one in agents), 60)
        assert all(is_agent(one) for one in agents)
    finally:
        run.send(signal.SIGCONT)
    wait_for(lambda: events(headcount, "agents-lost"), 60)
    (event,) = events(headcount, "agents-lost")
    assert re.match(r"this controller stood still for \d+ s, and agents", event["message"])
    assert event["left"] == "2 of 2 agents go on"
    run.send(signal.SIGINT)
    assert run.ended().code == 130


def connections(pid: int) -> int:
    """Open sockets of a process."""
    found = 0
    for one in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found += os.fspath(one.readlink()).startswith("socket:")
        except OSError:
            continue
    return found
