"""A run by several agents is like any other: as a user sees it, and in its bundle."""

import json
import platform
from pathlib import Path

import pytest

from headcount import workloads
from headcount.errors import InputError
from headcount.plan.plan import engine_plan
from headcount.plan.resolve import Overrides, resolve
from processes import Headcount, lines

LIGHT = Path(__file__).parent.parent / "e2e" / "light.toml"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    headcount = Headcount(tmp_path_factory.mktemp("agents"))
    arguments = ("--users", "31", "--duration", "4s", "--ramp", "1s", "--agents", "3")
    ended = headcount.run("run", str(LIGHT), "--target", "lab:app", *arguments, "--seed", "5")
    assert ended.code == 0, ended
    (found,) = headcount.runs.iterdir()
    return found


def test_all_users_are_played_by_one_agent_each(bundle: Path, headcount: Headcount) -> None:
    (level,) = headcount.run("show", str(bundle), "--json").json["levels"]
    assert level["users"] == level["users_reported"] == 31
    users = [level["counters"][f"agent-{number}"]["agent.users"] for number in (1, 2, 3)]
    assert [one["mean"] for one in users] == [11, 10, 10]
    rates = [
        level["counters"][f"agent-{number}"]["agent.scenarios"]["mean"] for number in (1, 2, 3)
    ]
    # The mean of seconds; on a machine that stands still some are longer than others.
    assert sum(rates) == pytest.approx(level["achieved_per_s"], rel=0.25)
    assert level["generator"]["workers"] == 3
    assert level["counters"]["generator"]["process.count"]["mean"] == 3
    assert headcount.run("audit", str(bundle)).code == 0


def test_the_record_says_who_played_and_how_clocks_differ(bundle: Path) -> None:
    (event,) = [one for one in lines(bundle / "events.ndjson") if one["event"] == "agents"]
    assert event["workers"] == 3
    assert [one["lanes"] for one in event["agents"]] == [[0], [1], [2]]
    late_ms = [one["late_ms"] for one in event["agents"]]
    most_ms = (
        max(late_ms) - min(late_ms) + 2 * max(one["clock_error_ms"] for one in event["agents"])
    )
    assert 0 <= event["start_spread_ms"] <= most_ms + 0.002
    for one in event["agents"]:
        # They are on this machine: their clock is this one.
        assert abs(one["clock_ahead_s"]) * 1000 <= one["clock_error_ms"] + 0.001


def test_agents_on_this_machine_share_the_record_of_it(bundle: Path) -> None:
    (side,) = json.loads((bundle / "environment.json").read_text("utf-8"))["sides"]
    assert (side["role"], side["agents"]) == ("both", [1, 2, 3])
    assert side["host"]["hostname"] == platform.node()
    page = (bundle / "report.html").read_text("utf-8")
    assert "on one machine: agents 1 to 3" in page
    assert "Agents at 31 users (passed)" in page


def test_each_agent_plays_its_part_of_the_plan() -> None:
    plan = resolve(workloads.load(str(LIGHT)), "lab:app", Overrides(users=3, agents=2))
    assert '"part": {"lanes": [1], "of": 2}' in engine_plan(plan, {"lanes": [1], "of": 2})
    assert "part" not in engine_plan(plan)


def test_too_many_users_for_the_agents_are_refused(headcount: Headcount) -> None:
    arguments = ("--agents", "2", "--users-per-agent", "20")
    ended = headcount.run("run", str(LIGHT), "--target", "lab:app", "--users", "41", *arguments)
    assert ended.code == 5, ended
    assert ended.message.startswith(
        "41 users are 21 for agent 1 (this machine), and --users-per-agent allows 20: give more "
        "agents"
    )


@pytest.mark.parametrize("option", [("--users-per-agent", "2"), ("--equal-users",)])
def test_options_of_agents_without_agents_are_mistakes(
    headcount: Headcount, option: tuple[str, ...]
) -> None:
    arguments = ("--target", "lab:app", "--users", "4", *option)
    ended = headcount.run("run", str(LIGHT), *arguments)
    assert (ended.code, ended.message) == (2, f"{option[0]} belongs to --agents NUMBER")


def test_threads_of_agents_on_other_machines_are_not_set_here() -> None:
    asked = Overrides(users=4, agents=2, cluster="ray://10.0.0.1:6379", workers=3)
    with pytest.raises(InputError, match=r"--workers is for this machine.*--num-cpus"):
        resolve(workloads.load(str(LIGHT)), "lab:app", asked)


def test_agents_play_two_targets_in_turn(headcount: Headcount) -> None:
    arguments = ("--versus-set", "threads=2", "--users", "8", "--duration", "1s", "--pairs", "2")
    ended = headcount.run(
        *("run", str(LIGHT), "--target", "lab:app", "--agents", "2", "--set", "threads=1"),
        *arguments,
    )
    assert ended.code in {0, 1}, ended
    for bundle in headcount.runs.iterdir():
        levels = headcount.run("show", str(bundle), "--json").json["levels"]
        assert {"agent-1", "agent-2"} <= levels[0]["counters"].keys()
