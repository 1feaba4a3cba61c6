"""One reading of a Linux host's files, local or remote, and its counters."""

from collections.abc import Callable
from dataclasses import dataclass, field

from headcount.counters.proc import cpu, disk, memory, network, pressure
from headcount.counters.proc.devices import Devices
from headcount.counters.proc.files import put


@dataclass(frozen=True, slots=True)
class Host:
    """One reading of the host's files."""

    load: float | None = None
    meminfo: dict[str, int] = field(default_factory=dict)
    stat: cpu.CpuStat = field(default_factory=cpu.CpuStat)
    vmstat: dict[str, int] = field(default_factory=dict)
    disks: dict[str, disk.DiskStat] = field(default_factory=dict)
    interfaces: dict[str, network.InterfaceStat] = field(default_factory=dict)
    protocols: dict[str, int] = field(default_factory=dict)
    stalls: dict[str, dict[str, int]] = field(default_factory=dict)


def read(text: Callable[[str], str]) -> Host:
    """Read a host; ``text`` returns a file below /proc by its name, empty if it is missing."""
    return Host(
        load=cpu.parse_loadavg(text("loadavg")),
        meminfo=memory.parse(text("meminfo"), memory.STATES),
        stat=cpu.parse(text("stat")),
        vmstat=memory.parse_vmstat(text("vmstat"), memory.EVENTS),
        disks=disk.parse(text("diskstats")),
        interfaces=network.parse(text("net/dev")),
        protocols=network.parse_protocols(text("net/snmp"))
        | network.parse_protocols(text("net/netstat")),
        stalls={name: pressure.parse(text(f"pressure/{name}")) for name in pressure.RESOURCES},
    )


def gauges(now: Host) -> dict[str, float]:
    """Counters of a single reading."""
    values = cpu.gauges(now.stat)
    put(values, "system.cpu.load_average.1m", now.load)
    return values | memory.gauges(now.meminfo) | network.gauges(now.protocols)


def delta(
    was: Host,
    now: Host,
    elapsed_s: float,
    devices: Devices,
    page_bytes: int | None = memory.PAGE_BYTES,
) -> dict[str, float]:
    """Counters of two readings: rates, and shares of time.

    ``page_bytes`` is the size of the host's pages; without it there are no refaults.
    """
    disks = devices.whole_disks(now.disks)
    values = cpu.delta(was.stat, now.stat, elapsed_s)
    values |= memory.delta(was.vmstat, now.vmstat, elapsed_s, page_bytes)
    values |= disk.delta(was.disks, disks, elapsed_s, real=devices.real_disks(now.disks))
    counted = devices.counted_interfaces(now.interfaces)
    values |= network.delta(was.interfaces, now.interfaces, elapsed_s, counted=counted)
    values |= network.delta_protocols(was.protocols, now.protocols, elapsed_s)
    for resource, totals in now.stalls.items():
        values |= pressure.delta(was.stalls[resource], totals, elapsed_s, resource=resource)
    return values
