"""Limits of a plan: how they are written, and what they come to."""

import pytest

from headcount.controller.run_limits import run_limits
from headcount.errors import InputError
from headcount.lab.squeeze import Line
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
        ("latency", "15ms", 0.015),
        ("latency", "0.2 s", 0.2),
        ("jitter", "500us", 0.0005),
        ("loss", "0.1%", 0.001),
        ("reorder", "1 %", 0.01),
        ("generator-cpu", "0.2", 0.2),
    ],
)
def test_limits_are_read(name: str, text: str, expected: float | str) -> None:
    assert parse_limits({name: text}) == {name: expected}


@pytest.mark.parametrize("name", RESOURCES)
@pytest.mark.parametrize("text", ["", "0", "-1", "nothing", "1e3", "0.0001"])
def test_an_invalid_limit_says_how_to_write_one(name: str, text: str) -> None:
    if (name, text) == ("cpus", "0"):  # the first CPU
        return
    with pytest.raises(InputError, match=f"the limit {name} is .*write it like|write|no server"):
        parse_limits({name: text})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("latency", "15"),
        ("latency", "0.05ms"),
        ("latency", "11s"),
        ("jitter", "2%"),
        ("loss", "0.1"),
        ("loss", "0%"),
        ("loss", "51%"),
        ("reorder", "0.00001%"),
    ],
)
def test_limits_that_no_line_can_have_are_refused(name: str, text: str) -> None:
    with pytest.raises(InputError, match=f'the limit {name} is "{text}"; write it like .* from '):
        parse_limits({name: text})


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"network": "10Mb/s"}, 'network is "10Mb/s"; write it like 80Mbit/s or 10MB/s'),
        ({"disk-read": "20Mb/s"}, 'disk-read is "20Mb/s"; write it like 20MB/s or 500KiB/s'),
        ({"jitter": "2ms"}, "jitter needs the limit latency: .*; add --limit latency="),
        ({"reorder": "1%"}, "reorder needs the limit latency"),
        ({"latency": "1ms", "jitter": "1.5ms"}, 'jitter is "1.5ms", more than the latency, 1ms'),
    ],
)
def test_limits_of_a_line_that_do_not_go_together(limits: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_limits(limits, "nginx", "lab:nginx")


def test_limits_of_a_line_that_go_together() -> None:
    check_limits({"loss": "1%"}, "nginx", "lab:nginx")
    check_limits(
        {"latency": "15ms", "jitter": "15ms", "loss": "1%", "reorder": "1%"}, "nginx", "lab:nginx"
    )


def test_limits_become_a_line() -> None:
    got = run_limits({"latency": "15ms", "jitter": "2ms", "loss": "0.1%", "reorder": "1%"})
    assert got.line == Line(latency_s=0.015, jitter_s=0.002, loss=0.001, reorder=0.01)
    assert got.is_link
    assert run_limits({"loss": "1%"}).line == Line(loss=0.01)
    assert run_limits({"network": "8Mbit/s"}).line is None


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


def test_limits_become_control_groups_and_network() -> None:
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
