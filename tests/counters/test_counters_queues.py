"""Queues, limits and speeds of network interfaces."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from headcount.counters.catalogue import lookup
from headcount.counters.proc import queues
from headcount.counters.proc.links import Links, utilisation
from headcount.counters.proc.queues import Queue, QueueTable
from headcount.counters.proc.served import NetworkQueues
from headcount.counters.proc.sockets import Listener


def test_a_limited_interface_reads_as_tc_reports_it() -> None:
    script = Path(__file__).with_name("queue_child.py")
    around = ["unshare", "--user", "--map-root-user", "--net", "--"]
    run = subprocess.run([*around, sys.executable, script], check=True, capture_output=True)
    found = json.loads(run.stdout)
    assert found["before"] == {}  # the loopback has no queue by itself
    assert found["idle"]["lo"] == {
        "backlog_bytes": 0,
        "dropped": 0,
        "overlimits": 0,
        "rate_limit": 100_000,
    }
    assert found["busy"]["lo"]["backlog_bytes"] > 5000
    (tc,) = found["tc"]
    after = found["after"]["lo"]
    assert (
        (after["backlog_bytes"], after["dropped"])
        == (tc["backlog"], tc["drops"])
        == (0, tc["drops"])
    )
    assert after["overlimits"] == tc["overlimits"] > 0
    assert after["dropped"] > 0


def test_rates_and_limits_of_each_interface_and_of_all() -> None:
    before = {"eth0": Queue(0, 5, 10, None), "veth": Queue(0, 0, 0, 100_000)}
    now = {"eth0": Queue(0, 9, 30, None), "veth": Queue(7, 1, 2, 100_000), "new": Queue(0, 3, 3, 5)}
    assert queues.delta(before, now, 2.0) == {
        "system.network.queue.dropped{network.interface.name=eth0}": 2,
        "system.network.queue.dropped{network.interface.name=veth}": 0.5,
        "system.network.queue.dropped": 2.5,
        "system.network.queue.overlimits{network.interface.name=eth0}": 10,
        "system.network.queue.overlimits{network.interface.name=veth}": 1,
        "system.network.queue.overlimits": 11,
    }
    assert queues.delta({}, now, 2.0) == queues.gauges({}) == {}
    limits = queues.gauges(now)
    assert limits["system.network.queue.rate"] == 5
    assert limits["system.network.queue.rate{network.interface.name=veth}"] == 100_000
    assert "system.network.queue.rate{network.interface.name=eth0}" not in limits


class FakeTable(QueueTable):
    """Queues that a test sets."""

    def __init__(self, found: dict[str, Queue]) -> None:
        self.found = found
        self.at: dict[bytes, str] = {}

    def addresses(self) -> dict[bytes, str]:
        return self.at

    def read(self) -> dict[str, Queue]:
        return self.found

    def close(self) -> None:
        pass


def test_backlogs_are_given_for_each_interface_and_for_all() -> None:
    found = {"a": Queue(300, 0, 0, None), "b": Queue(0, 0, 0, None)}
    looks = {name: (how, value) for name, how, value in NetworkQueues(FakeTable(found)).look()}
    assert looks["system.network.queue.backlog"] == ("mean", 300)
    assert looks["system.network.queue.occupied"] == ("share", 300)
    assert looks["system.network.queue.occupied{network.interface.name=b}"] == ("share", 0)
    assert all(lookup(name) for name in looks)
    assert list(NetworkQueues(FakeTable({})).look()) == []


class Listening:
    """A server that listens at given addresses."""

    def __init__(self, *places: tuple[int, str]) -> None:
        self.latest = [
            Listener(1, family, socket.inet_pton(family, text).ljust(16, b"\0"), 80, 0, None)
            for family, text in places
        ]


@pytest.mark.parametrize(
    ("places", "waiting"),
    [
        ([(socket.AF_INET, "192.0.2.1")], 300),
        ([(socket.AF_INET6, "2001:db8::1")], 5),
        ([(socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")], 305),
        ([(socket.AF_INET, "127.0.0.3")], 0),
        ([(socket.AF_INET, "0.0.0.0")], 305),  # noqa: S104
        ([(socket.AF_INET6, "::")], 305),
        ([(socket.AF_INET, "198.51.100.9")], 305),  # of no interface: then of all
        ([], 305),
    ],
)
def test_queues_of_other_interfaces_do_not_count_for_a_server(
    places: list[tuple[int, str]], waiting: int
) -> None:
    found = {"a": Queue(300, 0, 0, None), "b": Queue(5, 0, 0, None)}
    table = FakeTable(found)
    table.at = {
        socket.inet_pton(socket.AF_INET, "192.0.2.1"): "a",
        socket.inet_pton(socket.AF_INET6, "2001:db8::1"): "b",
    }
    gauge = NetworkQueues(table, Listening(*places))  # type: ignore[arg-type]
    looks = {name: (how, value) for name, how, value in gauge.look()}
    assert looks["system.network.queue.backlog"] == ("mean", waiting)
    assert looks["system.network.queue.occupied{network.interface.name=a}"] == ("share", 300)


def test_addresses_are_those_that_ip_lists() -> None:
    listed = subprocess.run(["ip", "-json", "addr"], check=True, capture_output=True)
    wanted = {
        (info["local"], link["ifname"])
        for link in json.loads(listed.stdout)
        for info in link["addr_info"]
    }
    families = {4: socket.AF_INET, 16: socket.AF_INET6}
    table = QueueTable(None)
    try:
        found = table.addresses()
    finally:
        table.close()
    assert {(socket.inet_ntop(families[len(a)], a), name) for a, name in found.items()} == wanted


def test_use_of_a_link_is_that_of_its_busier_direction(tmp_path: Path) -> None:
    traffic = {
        "system.network.io{network.io.direction=receive,network.interface.name=eth0}": 25e6,
        "system.network.io{network.io.direction=transmit,network.interface.name=eth0}": 100e6,
        "system.network.io{network.io.direction=transmit,network.interface.name=eth1}": 1e6,
        "system.network.io{network.io.direction=transmit,network.interface.name=veth}": 1e6,
        "system.network.io{network.io.direction=transmit}": 999e6,
    }
    for name, speed, device in (
        ("eth0", "1000", True),
        ("eth1", "-1", True),
        ("veth", "10000", False),
    ):
        folder = tmp_path / "class/net" / name
        (folder / ("device" if device else "queues")).mkdir(parents=True)
        (folder / "speed").write_text(f"{speed}\n")
    values = Links("/imagined", tmp_path, None).sample(0.0, traffic)
    assert values == {
        "system.network.speed{network.interface.name=eth0}": 125e6,
        "system.network.utilization{network.interface.name=eth0}": pytest.approx(0.8),
        "system.network.utilization.busiest": pytest.approx(0.8),
    }
    assert Links("/imagined", None, None).sample(0.0, traffic) == utilisation({}, traffic) == {}
