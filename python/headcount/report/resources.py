"""What the server's machine used in a level: the figures of a capacity table, defined once."""

from dataclasses import dataclass

from headcount.bundle.environment import EnvironmentFile
from headcount.bundle.level import LevelResult
from headcount.counters.naming import INTERFACE, instance_name, split_instance
from headcount.counters.proc.network import LOOPBACK
from headcount.report.selection import counter_mean

CPU = "system.cpu.utilization"
READ = "system.disk.io{disk.io.direction=read}"
WRITTEN = "system.disk.io{disk.io.direction=write}"
RECEIVED = "system.network.io{network.io.direction=receive}"
SENT = "system.network.io{network.io.direction=transmit}"
OVER_LOOPBACK = instance_name(RECEIVED, INTERFACE, LOOPBACK)
"""Traffic over the loopback. Sender and receiver share that interface, so each byte counts once as
sent and once as received; either direction alone is all traffic of both."""


@dataclass(frozen=True, slots=True)
class Resources:
    """Means over the measured part of a level; None where a figure was not sampled.

    Attributes:
        cpu_share: CPU of the whole machine, from 0 to 1.
        memory_share: Memory that was not available without swapping, from 0 to 1.
        memory_bytes: The same in bytes.
        disk_bytes_per_s: Read and written on the machine's real disks, each once; the sum is
            unknown unless both parts are known.
        network_bytes_per_s: Received and sent by the server: on all interfaces but the loopback
            and those stacked on others, or on the loopback if the load comes that way.

    """

    cpu_share: float | None
    memory_share: float | None
    memory_bytes: float | None
    disk_bytes_per_s: float | None
    network_bytes_per_s: float | None


def resources(level: LevelResult, *, loopback: bool) -> Resources:
    """Return what a level used; `loopback`: whether the load came over the loopback."""
    memory_share = counter_mean(level, "system.memory.utilization")
    total_bytes = counter_mean(level, "system.memory.limit")
    return Resources(
        cpu_share=counter_mean(level, CPU),
        memory_share=memory_share,
        memory_bytes=(
            None if memory_share is None or total_bytes is None else memory_share * total_bytes
        ),
        disk_bytes_per_s=_sum(level, READ, WRITTEN),
        network_bytes_per_s=(
            counter_mean(level, OVER_LOOPBACK) if loopback else _sum(level, RECEIVED, SENT)
        ),
    )


def _sum(level: LevelResult, *names: str) -> float | None:
    parts = [counter_mean(level, name) for name in names]
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def is_over_loopback(environment: EnvironmentFile | None) -> bool:
    """Whether the load came over the loopback: both sides on one machine, as in the lab."""
    return environment is not None and any(side.role == "both" for side in environment.sides)


def network_text(level: LevelResult, *, loopback: bool) -> str:
    """Say which interface the network's figure is of, and what it counts."""
    if loopback:
        return (
            f"Network: what passed the loopback ({LOOPBACK}), each byte counted once: the "
            "server's sent and received data together, and that of any other program"
        )
    names = {
        interface
        for family, interface in map(split_instance, level.counters.get("sut", {}))
        if family == RECEIVED and interface not in (None, LOOPBACK)
    }
    which = f" ({names.pop()})" if len(names) == 1 else ", leaving out those stacked on others"
    return f"Network: received and sent, of the machine's interfaces without the loopback{which}"
