"""Users of Redis, end to end: levels on the lab's, and on somebody's own."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.bundle import reader
from processes import Headcount
from redis_server import Store, serving

pytestmark = pytest.mark.e2e

FAST = ("--scale", "0.01", "--ramp", "0s", "--settle", "0s", "--duration", "3s")


@pytest.fixture
def headcount(tmp_path: Path) -> Iterator[Headcount]:
    command = Headcount(tmp_path)
    yield command
    command.close()


@pytest.fixture
def store() -> Iterator[Store]:
    with serving() as server:
        yield server


def test_levels_on_the_lab_have_every_operation_and_disclose_the_server(
    headcount: Headcount,
) -> None:
    ended = headcount.run(
        *("run", "ycsb-a", "--target", "lab:redis", "--levels", "2,8", *FAST),
        *("--think", "5ms", "--set", "maxclients=200", "--criteria", "errors<1%"),
    )
    assert ended.code == 0, ended
    bundle = reader.load(headcount.bundle)
    assert [level.users for level in bundle.levels] == [2, 8]
    for level in bundle.levels:
        by_name = {figures.name: figures for figures in level.scenarios}
        assert set(by_name) == {"read", "update"}
        assert all(figures.failed == 0 for figures in by_name.values())
        counts = [figures.completed for figures in by_name.values()]
        assert min(counts) > 100
        assert abs(counts[0] - counts[1]) < 5 * sum(counts) ** 0.5  # half and half
        says = level.counters["server"]
        played = sum(counts) / level.steady_s
        assert says["redis.commands"].mean >= 0.5 * played
        assert says["redis.clients"].max >= level.users
    text = (headcount.bundle / "environment.json").read_text("utf-8")
    (side,) = json.loads(text)["sides"]
    assert side["settings"]["maxclients"] == "200"
    assert side["settings"]["TLS"] == "off"
    assert headcount.leftovers() == []


def test_a_foreign_redis_is_prepared_played_and_cleaned(headcount: Headcount, store: Store) -> None:
    store.cli("set", "theirs", "42")
    prepare = ("prepare", "ycsb-b", "--target", store.target, "--users", "4", "--scale", "0.01")
    ended = headcount.run(*prepare, "--json")
    assert ended.code == 0, ended
    assert ended.json["written_bytes"] == 1000 * 1000
    before = {command: store.calls(command) for command in ("get", "set")}
    ended = headcount.run(
        *("run", "ycsb-b", "--target", store.target, "--users", "4", "--think", "2ms", *FAST),
        *("--criteria", "errors<1%"),
    )
    assert ended.code == 0, ended
    (level,) = reader.load(headcount.bundle).levels
    by_name = {figures.name: figures.completed for figures in level.scenarios}
    # Beside the level there are the trial of one user, the ramp and the end.
    for command, name in (("get", "read"), ("set", "update")):
        assert store.calls(command) - before[command] >= by_name[name] > 10
    assert headcount.run("cleanup", "--target", store.target).code == 0
    assert store.cli("keys", "*") == "theirs"


def test_a_server_that_is_not_there_or_wants_a_password_gets_one_clear_error(
    headcount: Headcount, store: Store
) -> None:
    run = ("run", "ycsb-c", "--users", "1", "--duration", "1s", "--target")
    ended = headcount.run(*run, "redis://127.0.0.1:9")
    assert ended.code == 3, ended
    assert ended.err.count("check that Redis is running there") == 1
    assert "backlog" not in ended.err
    store.cli("config", "set", "requirepass", "right")
    ended = headcount.run(*run, store.target)
    assert ended.code == 2, ended
    assert "NOAUTH Authentication required; give the password with --password-file" in ended.err


def test_a_pipeline_moves_as_many_values_at_once(
    headcount: Headcount, store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "pipelined.toml"
    path.write_text(
        """
name = "pipelined"
title = "Sixteen at once"
protocol = "redis"
recreates = "nothing"
description = "Clients that send sixteen requests at once."
sources = []
deviations = []
criteria = ["errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "20ms" } }
keys = { count = 100, value_size = 5000 }
run = { duration = "3s", ramp = "0s", settle = "0s" }

[[scenarios]]
name = "many"
weight = 1
limit = "1s"
steps = [
  { name = "write", op = "set", keys = "uniform", pipeline = 16 },
  { name = "read", op = "get", keys = "uniform", pipeline = 16 },
]
""",
        encoding="utf-8",
    )
    ended = headcount.run("run", str(path), "--target", store.target, "--users", "3")
    assert ended.code == 0, ended
    (level,) = reader.load(headcount.bundle).levels
    many = level.scenarios[0]
    assert many.failed == 0
    assert store.calls("get") >= 16 * many.completed > 16 * 50
    per_s = 16 * 5000 * many.completed / level.steady_s
    assert many.read_bytes_per_s == pytest.approx(per_s, rel=0.1)
    assert many.written_bytes_per_s == pytest.approx(per_s, rel=0.1)


def test_a_value_that_is_not_the_one_written_fails_the_level(
    headcount: Headcount, store: Store
) -> None:
    prepare = ("prepare", "ycsb-c", "--target", store.target, "--users", "1", "--scale", "0.001")
    assert headcount.run(*prepare).code == 0
    for key in range(100):
        store.cli("setrange", f"headcount:{key:09}", "300", "spoilt")
    run = ("run", "ycsb-c", "--target", store.target, "--users", "2", "--criteria", "errors<1%")
    ended = headcount.run(*run, "--think", "10ms", "--scale", "0.001", *FAST[2:])
    assert ended.code == 1, ended
    assert "damaged from byte" in ended.out
    ended = headcount.run(
        *run, "--think", "10ms", "--scale", "0.001", *FAST[2:], "--client", "verify=off"
    )
    assert ended.code == 0, ended
