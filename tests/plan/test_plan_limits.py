"""Limits of a plan: how they are written, and what they come to."""

import pytest

from headcount.controller.run_limits import run_limits
from headcount.errors import InputError
from headcount.plan.limits import RESOURCES, check_limits, parse_limits


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("cpu", "0.5", 0.5),
        ("cpu", "50%", 0.5),
        ("cpu", "2", 2.0),
        ("cpus", "0-1,3", "0-1,3"),
        ("memory", "256MiB", 268_435_456),
        ("disk-read", "20MB/s", 20_000_000),
        ("disk-write", "5MB", 5_000_000),
        ("disk-read-ops", "500/s", 500),
        ("disk-write-ops", "50", 50),
        ("network", "80Mbit/s", 80_000_000),
        ("network", "80mbit", 80_000_000),
        ("network", "10MB/s", 80_000_000),
        ("generator-cpu", "0.2", 0.2),
    ],
)
def test_limits_are_read(name: str, text: str, expected: float | str) -> None:
    assert parse_limits({name: text}) == {name: expected}


@pytest.mark.parametrize("name", RESOURCES)
@pytest.mark.parametrize("text", ["", "0", "-1", "nothing", "1e3", "0.0001"])
def test_what_is_no_limit_says_how_one_is_written(name: str, text: str) -> None:
    if (name, text) == ("cpus", "0"):  # the first CPU
        return
    with pytest.raises(InputError, match=f"the limit {name} is .*write it like|write|no server"):
        parse_limits({name: text})


@pytest.mark.parametrize("name", RESOURCES)
def test_each_example_can_be_read(name: str) -> None:
    assert parse_limits({name: RESOURCES[name].example})


def test_an_unknown_limit_names_the_nearest() -> None:
    with pytest.raises(InputError, match='did you mean "memory"'):
        parse_limits({"memori": "1GiB"})


def test_limits_are_for_servers_that_run_here() -> None:
    with pytest.raises(InputError, match="lab servers"):
        check_limits({"cpu": "1"}, None, "smb://fs1/data")
    with pytest.raises(InputError, match="kernel serves"):
        check_limits({"cpu": "1"}, "files", "lab:files")
    check_limits({"generator-cpu": "1"}, "files", "lab:files")
    check_limits({}, None, "smb://fs1/data")


def test_limits_become_those_of_groups_and_network() -> None:
    got = run_limits(
        {"cpu": "0.5", "disk-write-ops": "9", "network": "8Mbit/s", "generator-cpu": "1"}
    )
    assert got.server.cpu_cores == 0.5
    assert got.server.disk_write_ops == 9
    assert got.server.controllers == {"cpu", "io"}
    assert got.network_bits_s == 8_000_000
    assert got.generator.cpu_cores == 1.0
    assert not run_limits({}).server.controllers
    assert not run_limits({}).is_link
