"""The workload `shares` is as it describes itself."""

import tomllib
from pathlib import Path

import pytest

WORKLOAD = Path(__file__).parents[2] / "python" / "headcount" / "workloads" / "shares.toml"
PLAN = tomllib.loads(WORKLOAD.read_text("utf-8"))
SCENARIOS = {scenario["name"]: scenario for scenario in PLAN["scenarios"]}
COMMANDS = {"open": 1, "close": 1, "read": 4, "write": 4}
"""Commands of an operation: a file of 64 KiB in blocks of 16 KiB is four."""


def commands(scenario: str) -> int:
    steps = SCENARIOS[scenario]["steps"]
    # TREE_DISCONNECT and TREE_CONNECT.
    return sum(COMMANDS.get(step["op"], 2) for step in steps)


def test_two_percent_of_the_commands_connect_to_a_share() -> None:
    all_ = sum(SCENARIOS[name]["weight"] * commands(name) for name in SCENARIOS)
    connects = SCENARIOS["connect-and-copy"]["weight"]
    assert connects / all_ == pytest.approx(0.02, abs=0.001)


def test_four_fifths_of_the_bytes_come_from_the_server() -> None:
    to_it = SCENARIOS["copy-to-share"]["weight"]
    assert to_it / sum(scenario["weight"] for scenario in PLAN["scenarios"]) == 0.2


def test_files_blocks_and_limits_are_the_studys() -> None:
    tree = PLAN["tree"]
    assert (tree["median_size"], tree["most_size"], tree["sigma"]) == ("64KiB", "64KiB", 0)
    moves = [s for each in PLAN["scenarios"] for s in each["steps"] if s["op"] in {"read", "write"}]
    assert [step["chunk_bytes"] for step in moves] == [16 << 10] * 3
    assert {scenario["limit"] for scenario in PLAN["scenarios"]} == {"1s"}


def test_a_user_does_what_ten_motors_did() -> None:
    # 39 MB/s by 600 motors, in files of 64 KB.
    motor_per_s = 39e6 / 600 / 65_536
    time = PLAN["pace"]["time"]
    mean_s = (int(time["low"][:-2]) + int(time["high"][:-2])) / 2 / 1000
    assert 1 / mean_s / motor_per_s == pytest.approx(10, rel=0.02)
