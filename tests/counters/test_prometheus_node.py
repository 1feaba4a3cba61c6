"""The real node_exporter beside our own reader of /proc, over the same seconds.

Two readers of /proc bracket the exporter's pages, one just outside and one just inside them. What
only ever grows cannot have grown more in the page's time than in the outer one, nor less than in
the inner one, however busy the machine is.
"""

import os
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from exporter import Exporter, exporting
from headcount.counters.catalogue import lookup
from headcount.counters.naming import split_instance
from headcount.counters.proc.devices import Devices
from headcount.counters.proc.source import HostSource
from headcount.counters.prometheus import exposition, mapping, values

COVERED_S = 0.6
GROWING = (
    "system.cpu.context_switches",
    "system.paging.faults{system.paging.fault.type=minor}",
    "system.paging.operations{system.paging.direction=in}",
    "system.disk.io{disk.io.direction=read}",
    "system.disk.io{disk.io.direction=write}",
    "system.disk.operations{disk.io.direction=write}",
    "system.disk.queue_length",
    "system.network.io{network.io.direction=receive}",
    "system.network.packet.count{network.io.direction=transmit}",
    "system.network.tcp.retransmits",
    "system.linux.pressure{resource=cpu,kind=some}",
    "system.linux.pressure{resource=io,kind=full}",
)
# Of what /proc has, node_exporter leaves this out by default.
NOT_EXPORTED = {"system.linux.memory.refaults", "headcount.sampler.cpu_time_ms"}
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


@pytest.fixture(scope="module")
def exporter() -> Iterator[Exporter]:
    with exporting() as one:
        yield one


def network_devices() -> tuple[set[tuple[int, str]], frozenset[str]]:
    """All devices, and those that make up the host's traffic: no bridge that has ports."""
    found = socket.if_nameindex()
    counted = Devices(Path("/sys")).counted_interfaces(name for _, name in found)
    return set(found), counted


def traffic_text() -> str:
    return Path("/proc/net/dev").read_text("utf-8")


def work(folder: Path) -> None:
    """Keep the machine's CPU, memory and disk a little busy."""
    end_s = time.monotonic() + COVERED_S
    while time.monotonic() < end_s:
        with folder.joinpath("written").open("wb") as file:
            file.write(bytes(1_000_000))
            file.flush()
            os.fsync(file.fileno())


def test_interfaces_on_top_of_others_are_not_counted() -> None:
    (node,) = (one for one in mapping.exporters() if one.host.metric == "node_uname_info")
    names = ["lo", "eth0", "eth0.100", "veth1a2b", "docker0", "hc123-1", "hc123a"]
    assert node.interface.counted(names) == ["eth0"]


def test_a_tunnel_has_no_speed() -> None:
    """Linux gives any tunnel 10 Mbit/s, of which the diagnosis of a run would see it use 400%."""
    (node,) = (one for one in mapping.exporters() if one.host.metric == "node_uname_info")
    labels: dict[str, exposition.Labels] = {link: (("device", link),) for link in ("eth0", "tun0")}
    traffic = {labels["eth0"]: 5e6, labels["tun0"]: 5e6}
    before: exposition.Page = {"node_network_receive_bytes_total": dict.fromkeys(traffic, 1.0)}
    after: exposition.Page = {
        "node_network_receive_bytes_total": traffic,
        "node_network_speed_bytes": {labels["eth0"]: 1.25e8, labels["tun0"]: 1.25e6},
    }
    found = values.values(node, before, after, 1.0)
    speeds = {name: one for name, one in found.items() if name.startswith("system.network.speed")}
    assert speeds == {"system.network.speed{network.interface.name=eth0}": 1.25e8}


def test_it_counts_what_proc_counts(exporter: Exporter, tmp_path: Path) -> None:
    for _ in range(10):
        outer, inner = HostSource("outer", fine=False), HostSource("inner", fine=False)
        devices, traffic = [network_devices()], [traffic_text()]
        first = outer.sample()
        devices.append(network_devices())
        before = exposition.parse(exporter.text())
        devices.append(network_devices())
        inner_first = inner.sample()
        work(tmp_path)
        inner_last = inner.sample()
        devices.append(network_devices())
        after = exposition.parse(exporter.text())
        devices.append(network_devices())
        last = outer.sample()
        devices.append(network_devices())
        traffic.append(traffic_text())
        is_steady = all(one == devices[0] for one in devices)
        if is_steady:  # what came or went is in some only
            break

    known = mapping.exporter_of(after)
    assert known is not None
    clock_after, clock_before = values.clock(known, after), values.clock(known, before)
    assert clock_after is not None
    assert clock_before is not None
    elapsed_s = clock_after - clock_before
    found = values.values(known, before, after, elapsed_s)

    for name in GROWING:
        if name.startswith("system.network.") and not is_steady:
            continue  # others on this machine make and remove devices all the time
        least = inner_last.values[name] * (inner_last.at_s - inner_first.at_s)
        most = last.values[name] * (last.at_s - first.at_s)
        # The clocks are read a moment before or after the counters: a part in a thousand.
        shown = f"{name}, devices {devices}, traffic before and after: {traffic}"
        assert least * 0.99 - 1e-3 <= found[name] * elapsed_s <= most * 1.01 + 1e-3, shown
    for name in ("system.memory.limit", "system.cpu.logical.count"):
        assert found[name] == last.values[name]
    # The exporter leaves out loop devices and the loopback, and qdiscs by default.
    # What happened within the inner samples, such as a read of the disk, the exporter saw, too.
    of_host = {name for name in inner_last.values if split_instance(name)[1] is None}
    queues = {name for name in of_host if name.startswith("system.network.queue.")}
    assert of_host - queues - NOT_EXPORTED <= set(found)
    outer.close()
    inner.close()
    assert [name for name in found if lookup(name) is None] == []


def seconds_by_mode(text: str) -> dict[str, float]:
    """CPU seconds of all CPUs by mode, as the page has them."""
    modes: dict[str, float] = {}
    for mode, value in re.findall(
        r'^node_cpu_seconds_total\{cpu="\d+",mode="(\w+)"\} (\S+)$', text, re.MULTILINE
    ):
        modes[mode] = modes.get(mode, 0.0) + float(value)
    return modes


def ticks() -> dict[str, float]:
    words = Path("/proc/stat").read_text("utf-8").split("\n", 1)[0].split()[1:9]
    modes = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
    return {mode: int(word) * TICK_S for mode, word in zip(modes, words, strict=True)}


def test_its_cpu_time_is_that_of_proc(exporter: Exporter) -> None:
    before, text, after = ticks(), exporter.text(), ticks()
    cores = os.cpu_count() or 1
    for mode, seconds in seconds_by_mode(text).items():
        # Idle and waiting may run backwards a little, which the exporter hides.
        slack = cores * TICK_S + (1.0 if mode in {"idle", "iowait"} else 0.0)
        assert before[mode] - slack <= seconds <= after[mode] + slack, mode


def test_shares_of_the_cpu_are_of_the_time_that_was_accounted(exporter: Exporter) -> None:
    texts = [exporter.text()]
    time.sleep(0.3)
    texts.append(exporter.text())
    was, now = (seconds_by_mode(text) for text in texts)
    spent = {mode: now[mode] - was[mode] for mode in now}
    known = mapping.exporter_of(exposition.names(texts[1]))
    assert known is not None
    found = values.values(known, *(exposition.parse(text) for text in texts), elapsed_s=0.3)
    total = sum(spent.values())
    busy = 1 - (spent["idle"] + spent["iowait"]) / total
    assert found["system.cpu.utilization"] == pytest.approx(busy)
    assert found["system.cpu.utilization{cpu.mode=steal}"] == pytest.approx(spent["steal"] / total)
    assert found["system.cpu.utilization.busiest"] >= busy - 1e-9


def test_it_knows_the_machine(exporter: Exporter) -> None:
    text = exporter.text()
    known = mapping.exporter_of(exposition.names(text))
    assert known is not None
    assert values.host(known, exposition.parse(text, known.metrics)) == os.uname().nodename
