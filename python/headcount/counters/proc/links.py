"""What the links of a network namespace can carry, how far they are used, and what they drop."""

from collections.abc import Mapping
from pathlib import Path

from headcount.counters.naming import INTERFACE, instance_name, split_instance
from headcount.counters.proc import queues
from headcount.counters.proc.files import read_int
from headcount.counters.proc.queues import Queue, QueueTable

_RENEW_S = 30.0
"""How often speeds are read: some drivers query the hardware, and speeds hardly change."""
_BYTES_PER_S = 125_000
"""Bytes per second of 1 Mbit/s."""
_IO = "system.network.io"


class Links:
    """Speeds and queues of interfaces.

    Args:
        proc: Where procfs is mounted.
        sys: Where sysfs is mounted; None of another namespace, whose interfaces are not in ours.
        namespace: The file of that namespace, None for our own.

    """

    def __init__(self, proc: str, sys: Path | None, namespace: str | None) -> None:
        """Take no reading yet."""
        self._net = None if sys is None else sys / "class/net"
        self._speeds: dict[str, int] = {}
        self._due_s = float("-inf")
        self._namespace = namespace
        self._has_kernel = proc == "/proc"  # a test machine has no kernel to query
        self._table: QueueTable | None = None
        self._previous: tuple[float, Mapping[str, Queue]] | None = None

    def sample(self, at_s: float, traffic: Mapping[str, float]) -> dict[str, float]:
        """Read speeds and queues; ``traffic`` holds the bytes per second of each interface."""
        if at_s >= self._due_s:
            self._due_s = at_s + _RENEW_S
            self._speeds = _speeds(self._net)
        return utilisation(self._speeds, traffic) | self._queues(at_s)

    def close(self) -> None:
        """Close the socket."""
        if self._table is not None:
            self._table.close()
            self._table = None

    def _queues(self, at_s: float) -> dict[str, float]:
        if not self._has_kernel:
            return {}
        try:
            self._table = self._table or QueueTable(self._namespace)
            now = self._table.read()
        except OSError:
            self._has_kernel = False
            return {}
        was, self._previous = self._previous, (at_s, now)
        values = queues.gauges(now)
        return values if was is None else values | queues.delta(was[1], now, at_s - was[0])


def utilisation(speeds: Mapping[str, int], traffic: Mapping[str, float]) -> dict[str, float]:
    """Speeds of links, and the share of each that its busier direction uses."""
    if not speeds:
        return {}
    values: dict[str, float] = {
        instance_name("system.network.speed", INTERFACE, name): speed
        for name, speed in speeds.items()
    }
    busier: dict[str, float] = {}
    for counter, bytes_s in traffic.items():
        family, name = split_instance(counter)
        if name is not None and name in speeds and family.startswith(f"{_IO}{{"):
            busier[name] = max(busier.get(name, 0.0), bytes_s / speeds[name])
    for name, share in busier.items():
        values[instance_name("system.network.utilization", INTERFACE, name)] = min(1.0, share)
    if busier:
        values["system.network.utilization.busiest"] = min(1.0, max(busier.values()))
    return values


def _speeds(net: Path | None) -> dict[str, int]:
    """Bytes per second of each interface with hardware behind it that reports a speed.

    Virtual ones report an arbitrary figure (10 Gbit/s for a veth), or none.
    """
    speeds = {}
    for folder in net.iterdir() if net is not None and net.is_dir() else ():
        megabits = read_int(f"{folder}/speed") if (folder / "device").exists() else None
        if megabits:
            speeds[folder.name] = megabits * _BYTES_PER_S
    return speeds
