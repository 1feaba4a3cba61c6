"""Agents on a real Ray cluster."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ray_cluster import RayCluster, parent

from processes import Command, Ended, Headcount, lines, wait_for
from redis_server import serving

LIGHT = Path(__file__).parent.parent / "e2e" / "light.toml"
LEVEL = ("--users", "21", "--duration", "3s", "--ramp", "0s")
LADDER = ("--levels", "20,30", "--duration", "3s", "--ramp", "0s")


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    """One head and two machines for agents."""
    found = RayCluster(2)
    try:
        yield found
    finally:
        found.close()


def arguments(cluster: RayCluster, agents: int, *load: str) -> tuple[str, ...]:
    on = ("--agents", str(agents), "--cluster", cluster.address)
    return ("run", str(LIGHT), "--target", "lab:app", *on, *load)


def run(headcount: Headcount, cluster: RayCluster, agents: int, *load: str) -> Ended:
    return headcount.run(*arguments(cluster, agents, *load), **cluster.environment)


def start_run(headcount: Headcount, cluster: RayCluster, *load: str) -> Command:
    return headcount.start(*arguments(cluster, 2, *load), **cluster.environment)


def shown_levels(headcount: Headcount) -> Any:
    return headcount.run("show", str(headcount.bundle), "--json").json["levels"]


def test_each_machine_plays_its_part_and_nothing_is_left(
    headcount: Headcount, cluster: RayCluster
) -> None:
    ended = run(headcount, cluster, 2, *LEVEL)
    assert ended.code == 0, ended
    (level,) = shown_levels(headcount)
    assert level["users_reported"] == 21
    # Each has a worker for each of its machine's two CPUs; where other programs make one of them
    # slower meanwhile, all have more, and it has fewer than the other.
    workers = level["generator"]["workers"]
    assert workers >= 4
    (event,) = [
        one for one in lines(headcount.bundle / "events.ndjson") if one["event"] == "agents"
    ]
    first, second = (one["lanes"] for one in event["agents"])
    assert sorted(first + second) == list(range(workers))
    users = [level["counters"][f"agent-{number}"]["agent.users"]["mean"] for number in (1, 2)]
    dealt = sum(user % workers in first for user in range(21))  # to workers in turn
    assert users == [pytest.approx(dealt), pytest.approx(21 - dealt)]
    assert "cluster = " in (headcount.bundle / "plan.toml").read_text("utf-8")
    wait_for(lambda: not cluster.agents(), 30)


def test_an_agent_that_is_killed_is_noticed_and_the_level_played_again(
    headcount: Headcount, cluster: RayCluster
) -> None:
    under_way = start_run(headcount, cluster, *LADDER)
    under_way.reach(lambda: level_began(headcount, 2))
    os.kill(cluster.agents()[0], signal.SIGKILL)
    ended = under_way.ended()
    assert ended.code == 0, ended
    levels = [(one["users"], one["agents_lost"]) for one in shown_levels(headcount)]
    assert levels in ([(20, False), (30, True), (30, False)], [(20, False), (30, False)])
    (event,) = lost_agents(headcount)
    assert event["left"] == "1 of 2 agents go on"
    wait_for(lambda: not cluster.agents(), 30)


def test_more_agents_than_machines_are_refused(headcount: Headcount, cluster: RayCluster) -> None:
    ended = run(headcount, cluster, 3, *LEVEL)
    assert ended.code == 2
    assert ended.message == (
        f"the cluster at 127.0.0.1:{cluster.port} has 2 machines with CPUs for agents, and "
        "--agents asks for 3"
    )
    assert not cluster.agents()


def test_wrong_and_missing_tokens_are_refused(headcount: Headcount, cluster: RayCluster) -> None:
    line = arguments(cluster, 2, *LEVEL)
    wrong = headcount.run(*line, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="0" * 64)
    assert wrong.code == 2
    assert "refuses the token" in wrong.message
    none = headcount.run(*line, RAY_AUTH_MODE="disabled")
    assert none.code == 2
    assert "requires a token: set RAY_AUTH_MODE=token" in none.message


def test_passwords_are_nowhere_in_the_cluster(
    headcount: Headcount, cluster: RayCluster, tmp_path: Path
) -> None:
    secret, file = "hopscotch-Zanzibar-4711", tmp_path / "password"
    file.write_text(secret, "utf-8")
    on = ("--agents", "2", "--cluster", cluster.address)
    with serving() as store:
        store.cli("config", "set", "requirepass", secret)
        ended = headcount.run(
            *("run", "ycsb-a", "--target", store.target, "--password-file", str(file)),
            *("--scale", "0.001", "--users", "4", "--duration", "2s", "--ramp", "0s", *on),
            **cluster.environment,
        )
        store.cli("-a", secret, "config", "set", "requirepass", "")
    assert ended.code == 0, ended
    assert shown_levels(headcount)[0]["total"]["completed"] > 0
    memory = Path("/dev/shm")  # noqa: S108 - Ray's object store
    texts = [*texts_in(cluster.folder), *texts_in(memory)]
    assert any(b"AgentActor" in text for text in texts)
    assert not any(secret.encode() in text for text in texts)


def test_a_cluster_that_lets_everybody_in_is_refused(headcount: Headcount) -> None:
    is_open = RayCluster(0, token=False)
    try:
        line = arguments(is_open, 1, *LEVEL)
        ended = headcount.run(*line, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="0" * 64)
    finally:
        is_open.close()
    assert ended.code == 2
    assert "lets everybody in" in ended.message


def test_a_missing_cluster_is_an_error(headcount: Headcount) -> None:
    on = ("--agents", "2", "--cluster", "ray://127.0.0.1:9")
    ended = headcount.run("run", str(LIGHT), "--target", "lab:app", *on, *LEVEL)
    assert ended.code == 3
    assert "no Ray cluster answers at 127.0.0.1:9" in ended.message
    other = headcount.run(
        *("run", str(LIGHT), "--target", "lab:app", *LEVEL, "--agents", "2"), "--cluster", "k8s://x"
    )
    assert (other.code, other.message) == (2, '--cluster is "k8s://x"; give ray://HEAD:PORT')


def test_a_machine_that_dies_is_noticed_and_the_level_played_again(
    headcount: Headcount, cluster: RayCluster
) -> None:
    """The last one here: the cluster is smaller after it."""
    under_way = start_run(headcount, cluster, *LADDER)
    under_way.reach(lambda: level_began(headcount, 2))
    raylet = cluster.raylet(0)
    silent = [raylet, *(pid for pid in cluster.agents() if parent(pid) == raylet)]
    assert len(silent) == 2
    for pid in silent:  # a machine without power closes no connection
        os.kill(pid, signal.SIGSTOP)
    ended = under_way.ended()
    for pid in silent:
        os.kill(pid, signal.SIGKILL)
    assert ended.code == 0, ended
    (event,) = lost_agents(headcount)
    assert event["left"] == "1 of 2 agents go on"
    assert [one["users"] for one in shown_levels(headcount) if not one["agents_lost"]] == [20, 30]


def level_began(headcount: Headcount, level: int) -> bool:
    found = [
        one
        for bundle in headcount.bundles()
        for one in lines(bundle / "events.ndjson")
        if one["event"] == "level-start"
    ]
    return len(found) >= level


def texts_in(folder: Path) -> Iterator[bytes]:
    """The contents of all files of a folder; those of other tests may vanish meanwhile."""
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            if path.is_file():
                yield path.read_bytes()


def lost_agents(headcount: Headcount) -> list[dict[str, Any]]:
    events = lines(headcount.bundle / "events.ndjson")
    return [one for one in events if one["event"] == "agents-lost"]
