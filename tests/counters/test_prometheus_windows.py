"""windows_exporter's pages: each figure against what the pages were composed to say."""

from pathlib import Path

import pytest

from headcount.counters.catalogue import lookup
from headcount.counters.prometheus import exposition, mapping, values

PAGES = Path(__file__).with_name("pages")
ELAPSED_S = 10.0
NIC = "Intel[R] Ethernet Controller X550"


def text(moment: int) -> str:
    return PAGES.joinpath(f"windows_exporter_{moment}.txt").read_text("utf-8")


def exporter() -> mapping.Exporter:
    found = mapping.exporter_of(exposition.names(text(0)))
    assert found is not None
    return found


def counted(before: str | None = None, after: str | None = None) -> dict[str, float]:
    known = exporter()
    pages = [
        exposition.parse(each, known.metrics) for each in (before or text(0), after or text(1))
    ]
    return values.values(known, pages[0], pages[1], ELAPSED_S)


# Four cores for ten seconds are 40 s: 27 idle, 8.5 of users, 4.5 of the kernel, of which interrupts
# took 0.75 and deferred calls 1.25. The first core was idle for 2 of its 10 s.
CPU = {
    "system.cpu.utilization": 13 / 40,
    "system.cpu.utilization{cpu.mode=user}": 8.5 / 40,
    "system.cpu.utilization{cpu.mode=system}": 2.5 / 40,
    "system.cpu.utilization{cpu.mode=idle}": 27 / 40,
    "system.cpu.utilization{cpu.mode=interrupt}": 0.75 / 40,
    "system.cpu.utilization{cpu.mode=softirq}": 1.25 / 40,
    "system.cpu.utilization.busiest": 0.8,
    "system.cpu.logical.count": 4,
    "system.cpu.context_switches": 15_500,
    "system.cpu.interrupts": 2_000,
    "system.windows.cpu.privileged": 4.5 / 40,
    "system.windows.cpu.utility": (1.04 + 0.52 + 0.13) / 4,
    "system.windows.cpu.queue_length": 7,
}
MEMORY = {
    "system.memory.limit": 16 * 2**30,
    "system.linux.memory.available": 5 * 2**30,
    "system.memory.utilization": 11 / 16,
    "system.memory.committed": 14 * 2**30,
    "system.memory.commit_limit": 19 * 2**30,
    "system.memory.commit_utilization": 14 / 19,
    "system.linux.memory.dirty": 2500 * 4096,
    "system.windows.cache.copy_read_hits": 6000 / 8000,
    "system.windows.memory.pool.nonpaged": 192 * 2**20,
    "system.windows.memory.pool.paged": 384 * 2**20,
    "system.paging.faults": 2_500,
    "system.paging.faults{system.paging.fault.type=major}": 15,
    "system.paging.usage{system.paging.state=used}": 0.75 * 2**30,
    "system.paging.utilization": 0.25,
    "system.windows.paging.pages": 120,
    "system.windows.paging.pages{system.paging.direction=in}": 90,
    "system.windows.paging.pages{system.paging.direction=out}": 30,
}
# Disk 0: 1,000 reads in 4 s and 2,000 writes in 12 s of waiting, idle for 2.5 s. Disk 1: no read,
# 500 writes in 1 s, idle for 9.25 s.
DISK = {
    "system.disk.io{disk.io.direction=read}": 4_096_000,
    "system.disk.io{disk.io.direction=write}": 8_192_000 + 819_200,
    "system.disk.operations{disk.io.direction=read}": 100,
    "system.disk.operations{disk.io.direction=write}": 250,
    "system.disk.operation_time{disk.io.direction=read}": 4,
    "system.disk.operation_time{disk.io.direction=write}": 13_000 / 2_500,
    "system.disk.operation_time": 17_000 / 3_500,
    "system.disk.operation_time{system.device=0 C:}": 16_000 / 3_000,
    "system.disk.queue_length": 1.7,
    "system.disk.queue_length.current": 3,
    "system.disk.utilization{system.device=0 C:}": 0.75,
    "system.disk.utilization": (0.75 + 0.075) / 2,
    "system.disk.utilization.busiest": 0.75,
    "system.windows.disk.time{system.device=0 C:}": 1.6,
    "system.filesystem.usage{system.filesystem.state=free,system.device=C:}": 20 * 2**30,
    "system.filesystem.utilization{system.device=C:}": 0.75,
}
NETWORK = {
    "system.network.io{network.io.direction=receive}": 31_250_000,  # the tunnel counts for itself
    "system.network.io{network.io.direction=transmit}": 6_250_000,
    f"system.network.io{{network.io.direction=receive,network.interface.name={NIC}}}": 31_250_000,
    "system.network.packet.count{network.io.direction=receive}": 25_000,
    "system.network.errors{network.io.direction=receive}": 0.5,
    "system.network.packet.dropped{network.io.direction=transmit}": 1,
    "system.windows.network.errors{network.io.direction=receive}": 22,
    f"system.network.speed{{network.interface.name={NIC}}}": 1_250_000_000,
    "system.network.utilization.busiest": 0.025,
    "system.network.tcp.connections": 123,
    "system.network.tcp.retransmits": 3,
    "system.windows.smb.requests": 100,
    "system.windows.smb.files_open": 42,
}


@pytest.mark.parametrize("expected", [CPU, MEMORY, DISK, NETWORK])
def test_a_page_says_what_it_was_composed_to_say(expected: dict[str, float]) -> None:
    found = counted()
    assert {name: found.get(name) for name in expected} == pytest.approx(expected)


def test_host_and_clock_are_read() -> None:
    known = exporter()
    after = exposition.parse(text(1), known.metrics)
    assert (known.name, known.system) == ("windows_exporter", "windows")
    assert values.host(known, after) == "FS1"
    assert values.clock(known, after) == 1_795_310_010.5


def test_the_first_page_has_no_rates() -> None:
    known = exporter()
    first = values.values(known, None, exposition.parse(text(0), known.metrics), 0.0)
    assert first["system.memory.limit"] == 16 * 2**30
    assert not [name for name in first if name.startswith(("system.cpu.util", "system.disk.io"))]


def test_figures_of_a_missing_collector_are_absent() -> None:
    without = "\n".join(line for line in text(1).splitlines() if "physical_disk" not in line)
    found = counted(after=without)
    assert not [name for name in found if name.startswith("system.disk.")]
    assert found["system.cpu.logical.count"] == 4
    assert "system.windows.iis.requests" not in found


def test_a_disk_without_reads_has_no_read_time() -> None:
    found = counted()
    assert "system.disk.operation_time{disk.io.direction=read,system.device=1 D:}" not in found
    assert found["system.disk.operations{disk.io.direction=read,system.device=1 D:}"] == 0


def test_a_machine_that_restarted_has_no_rates_once() -> None:
    found = counted(before=text(1), after=text(0))
    known = exporter()
    rates = {each.name for each in known.counter if each.kind in {"rate", "share"}}
    grown = {name: value for name, value in found.items() if name in rates}
    # What did not move between the pages, did not go backwards.
    assert set(grown.values()) <= {0.0}, grown
    assert found["system.memory.limit"] == 16 * 2**30


def test_older_names_are_known_too() -> None:
    older = text(1).replace(
        "windows_memory_physical_total_bytes", "windows_cs_physical_memory_bytes"
    )
    assert counted(after=older)["system.memory.limit"] == 16 * 2**30


def test_all_names_are_in_the_catalogue() -> None:
    assert [name for name in counted() if lookup(name) is None] == []
    for known in mapping.exporters():
        assert [each.name for each in known.counter if lookup(each.name) is None] == []
        assert len({each.name for each in known.counter}) == len(known.counter)


def test_teams_and_virtual_adapters_are_no_links_beside_others() -> None:
    windows = next(one for one in mapping.exporters() if one.system == "windows")
    virtual = [
        "Microsoft_Network_Adapter_Multiplexor_Driver",
        "Hyper_V_Virtual_Ethernet_Adapter__2",
        "vEthernet (Default Switch)",
        "Microsoft_ISATAP_Adapter",
        "WAN Miniport (IP)",
        "TAP-Windows Adapter V9",
    ]
    real = ["Intel_R__Ethernet_Connection", "Microsoft_Hyper_V_Network_Adapter", "Ethernet 2"]
    assert windows.interface.counted([*virtual, *real]) == real
