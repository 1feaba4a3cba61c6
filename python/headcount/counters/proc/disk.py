"""Disks, from ``/proc/diskstats``.

Format: https://docs.kernel.org/admin-guide/iostats.html. Waits caused by a cgroup's limit or a
virtual disk's cap happen above the device and do not show here; pressure shows them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from headcount.counters.naming import DEVICE, instance_name
from headcount.counters.proc.files import integers, put, rate

_SECTOR_BYTES = 512
"""Sectors in diskstats are of 512 bytes whatever the device's own sector size."""
_MS_PER_S = 1000.0
_FIELDS = 11


@dataclass(frozen=True, slots=True)
class DiskStat:
    """One device's counters since boot; times in milliseconds."""

    reads: int
    read_sectors: int
    read_ms: int
    writes: int
    write_sectors: int
    write_ms: int
    busy_ms: int
    weighted_ms: int


def parse(text: str) -> dict[str, DiskStat]:
    """Parse ``/proc/diskstats`` by device name.

    Newer kernels append discards and flushes, which are skipped; partitions of kernels before
    2.6.25 have only four fields and are skipped as well.
    """
    devices: dict[str, DiskStat] = {}
    for line in text.splitlines():
        words = line.split()
        fields = integers(words[3 : 3 + _FIELDS])
        if fields is None or len(fields) < _FIELDS:
            continue
        reads, _, read_sectors, read_ms, writes, _, write_sectors, write_ms, _, busy, weighted = (
            fields
        )
        devices[words[2]] = DiskStat(
            reads, read_sectors, read_ms, writes, write_sectors, write_ms, busy, weighted
        )
    return devices


def delta(
    previous: Mapping[str, DiskStat],
    current: Mapping[str, DiskStat],
    elapsed_s: float,
    *,
    real: frozenset[str],
) -> dict[str, float]:
    """Traffic, waits and load of each device, and of the host over its real disks.

    ``real`` names the disks that count towards the host; devices stacked on others (loop, dm, md)
    would count the same traffic twice and appear for themselves only. The host's traffic and queue
    are sums, its waits are over all operations, its utilisation the mean and the busiest. Devices
    that never did any I/O have no figures of their own.
    """
    values: dict[str, float] = {}
    pairs = {name: (previous[name], now) for name, now in current.items() if name in previous}
    for name, pair in pairs.items():
        if not (pair[1].reads or pair[1].writes):
            continue
        for family, value in _figures([pair], elapsed_s).items():
            values[instance_name(family, DEVICE, name)] = value
    host = [pair for name, pair in pairs.items() if name in real]
    if host:
        values |= _figures(host, elapsed_s)
        busy = [_busy(pair, elapsed_s) for pair in host]
        known = [share for share in busy if share is not None]
        if known:
            values["system.disk.utilization.busiest"] = max(known)
    return values


def _figures(pairs: list[tuple[DiskStat, DiskStat]], elapsed_s: float) -> dict[str, float]:
    def growth(field: str) -> float | None:
        """Sum a field's growth per second; None where a device's counter went backwards."""
        rates = [rate(getattr(was, field), getattr(now, field), elapsed_s) for was, now in pairs]
        known = [value for value in rates if value is not None]
        return sum(known) if len(known) == len(rates) else None

    values: dict[str, float] = {}
    operations: list[float | None] = []
    waits: list[float | None] = []
    for direction in ("read", "write"):
        attribute = f"{{disk.io.direction={direction}}}"
        sectors = growth(f"{direction}_sectors")
        if sectors is not None:
            values[f"system.disk.io{attribute}"] = sectors * _SECTOR_BYTES
        operations.append(growth(f"{direction}s"))
        waits.append(growth(f"{direction}_ms"))
        put(values, f"system.disk.operations{attribute}", operations[-1])
        mean_ms = _mean_wait_ms(waits[-1:], operations[-1:])
        put(values, f"system.disk.operation_time{attribute}", mean_ms)
    put(values, "system.disk.operation_time", _mean_wait_ms(waits, operations))
    weighted = growth("weighted_ms")
    if weighted is not None:
        values["system.disk.queue_length"] = weighted / _MS_PER_S
    busy = [_busy(pair, elapsed_s) for pair in pairs]
    known = [share for share in busy if share is not None]
    if len(known) == len(pairs):
        values["system.disk.utilization"] = sum(known) / len(known)
    return values


def _mean_wait_ms(waits: list[float | None], operations: list[float | None]) -> float | None:
    """Mean time of an operation from queueing to completion; None if none completed."""
    waited = [value for value in waits if value is not None]
    done = [value for value in operations if value is not None]
    if len(waited) < len(waits) or len(done) < len(operations) or not sum(done):
        return None
    return sum(waited) / sum(done)


def _busy(pair: tuple[DiskStat, DiskStat], elapsed_s: float) -> float | None:
    """Share of time with a request under way; can pass 1 by the clocks' difference only."""
    busy = rate(pair[0].busy_ms, pair[1].busy_ms, elapsed_s)
    return None if busy is None else min(1.0, busy / _MS_PER_S)
