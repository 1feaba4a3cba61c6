"""PCP metrics as counters of the catalogue.

What the metrics mean: `pminfo -T NAME`. Values are in bytes and seconds, running counts are growth
per second: a count of seconds is then a share of time.
"""

from collections.abc import Mapping

import numpy as np

from headcount.counters.columns import Column
from headcount.counters.log.links import counted_links
from headcount.counters.log.pcp.metrics import Key
from headcount.counters.log.table import average, highest, total
from headcount.counters.naming import DEVICE, INTERFACE, instance_name

_IN, _OUT = "{network.io.direction=receive}", "{network.io.direction=transmit}"
_READ, _WRITE = "{disk.io.direction=read}", "{disk.io.direction=write}"
_MS = 1000.0
_PERCENT = 0.01
_NO_SPEED = 1e12
"""Faster than any link, in bytes/s. For a link without a speed, Linux reports -1 Mbit/s, which PCP
reads as unsigned."""
_STACKED = ("loop", "ram", "zram", "dm-", "md", "sr", "fd", "nbd")

HOST: Mapping[Key, str] = {
    ("hinv.ncpu", None): "system.cpu.logical.count",
    ("kernel.all.load", "1 minute"): "system.cpu.load_average.1m",
    ("kernel.all.runnable", None): "system.cpu.runnable",
    ("kernel.all.blocked", None): "system.cpu.blocked",
    ("kernel.all.pswitch", None): "system.cpu.context_switches",
    ("kernel.all.intr", None): "system.cpu.interrupts",
    ("mem.physmem", None): "system.memory.limit",
    ("mem.util.free", None): "system.memory.usage{system.memory.state=free}",
    ("mem.util.bufmem", None): "system.memory.usage{system.memory.state=buffers}",
    ("mem.util.available", None): "system.linux.memory.available",
    ("mem.util.dirty", None): "system.linux.memory.dirty",
    ("mem.util.writeback", None): "system.linux.memory.writeback",
    ("mem.util.committed_AS", None): "system.memory.committed",
    ("mem.vmstat.pgfault", None): "system.paging.faults",
    ("mem.vmstat.pgmajfault", None): "system.paging.faults{system.paging.fault.type=major}",
    ("mem.vmstat.oom_kill", None): "system.linux.memory.oom_kills",
    ("swap.pagesin", None): "system.paging.operations{system.paging.direction=in}",
    ("swap.pagesout", None): "system.paging.operations{system.paging.direction=out}",
    ("network.tcp.currestab", None): "system.network.tcp.connections",
    ("network.tcp.retranssegs", None): "system.network.tcp.retransmits",
    ("network.tcp.listenoverflows", None): "system.network.tcp.listen_overflows",
    ("network.tcp.listendrops", None): "system.network.tcp.listen_drops",
} | {
    (f"kernel.all.pressure.{resource}.{kind}.total", None): (
        f"system.linux.pressure{{resource={resource},kind={kind}}}"
    )
    for resource, kind in (
        ("cpu", "some"),
        ("io", "some"),
        ("io", "full"),
        ("memory", "some"),
        ("memory", "full"),
    )
}
DISK: Mapping[str, str] = {
    "disk.dev.read": f"system.disk.operations{_READ}",
    "disk.dev.write": f"system.disk.operations{_WRITE}",
    "disk.dev.read_bytes": f"system.disk.io{_READ}",
    "disk.dev.write_bytes": f"system.disk.io{_WRITE}",
    "disk.dev.aveq": "system.disk.queue_length",
    "disk.dev.avactive": "system.disk.utilization",
}
_WAITS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    f"system.disk.operation_time{_READ}": (("disk.dev.read_rawactive",), ("disk.dev.read",)),
    f"system.disk.operation_time{_WRITE}": (("disk.dev.write_rawactive",), ("disk.dev.write",)),
    "system.disk.operation_time": (
        ("disk.dev.read_rawactive", "disk.dev.write_rawactive"),
        ("disk.dev.read", "disk.dev.write"),
    ),
}
"""Mean times of operations: their total time over their number."""
LINK: Mapping[str, str] = {
    "network.interface.in.bytes": f"system.network.io{_IN}",
    "network.interface.out.bytes": f"system.network.io{_OUT}",
    "network.interface.in.packets": f"system.network.packet.count{_IN}",
    "network.interface.out.packets": f"system.network.packet.count{_OUT}",
    "network.interface.in.errors": f"system.network.errors{_IN}",
    "network.interface.out.errors": f"system.network.errors{_OUT}",
    "network.interface.in.drops": f"system.network.packet.dropped{_IN}",
    "network.interface.out.drops": f"system.network.packet.dropped{_OUT}",
    "network.interface.baudrate": "system.network.speed",
    "network.interface.speed": "system.network.speed",
}
_CPU: Mapping[str, str] = {
    "user": "kernel.all.cpu.user",
    "nice": "kernel.all.cpu.nice",
    "system": "kernel.all.cpu.sys",
    "idle": "kernel.all.cpu.idle",
    "iowait": "kernel.all.cpu.wait.total",
    "interrupt": "kernel.all.cpu.irq.hard",
    "softirq": "kernel.all.cpu.irq.soft",
    "steal": "kernel.all.cpu.steal",
}
_PER_CPU = ("kernel.percpu.cpu.idle", "kernel.percpu.cpu.wait.total")
_MEMORY = ("mem.util.cached", "mem.util.slabReclaimable", "mem.util.swapTotal", "mem.util.swapFree")
_REFAULTS = ("mem.vmstat.workingset_refault_file", "mem.vmstat.workingset_refault")
_FILES = {"filesys.full": _PERCENT, "filesys.avail": 1.0}

METRICS = tuple(
    dict.fromkeys(
        [
            *(name for name, _ in HOST),
            *DISK,
            *(name for above, _ in _WAITS.values() for name in above),
            *LINK,
            *_CPU.values(),
            *_PER_CPU,
            *_MEMORY,
            *_REFAULTS,
            "hinv.pagesize",
            *_FILES,
        ]
    )
)
"""All metrics that are used."""


def figures(metrics: Mapping[Key, Column]) -> dict[str, Column]:
    """The counters of an archive's values."""
    columns = {name: metrics[key] for key, name in HOST.items() if key in metrics}
    _cpus(columns, metrics)
    _memory(columns, metrics)
    _disks(columns, metrics)
    _links(columns, metrics)
    for (name, instance), column in metrics.items():
        if name in _FILES and instance is not None:
            used = "system.filesystem.utilization"
            free = "system.filesystem.usage{system.filesystem.state=free}"
            family = used if name == "filesys.full" else free
            columns[instance_name(family, DEVICE, instance)] = column * _FILES[name]
    return columns


def _cpus(columns: dict[str, Column], metrics: Mapping[Key, Column]) -> None:
    """Shares of the time of all CPUs; the sum of the modes is the whole."""
    modes = {mode: metrics[name, None] for mode, name in _CPU.items() if (name, None) in metrics}
    if {"user", "system", "idle", "iowait"} <= modes.keys():
        everything = total(list(modes.values()))
        everything[everything == 0] = np.nan
        for mode, seconds in modes.items():
            columns[f"system.cpu.utilization{{cpu.mode={mode}}}"] = seconds / everything
        columns["system.cpu.utilization"] = 1 - (modes["idle"] + modes["iowait"]) / everything
    idle, wait = _PER_CPU
    busy = [
        np.clip(1 - column - metrics.get((wait, cpu), np.zeros(len(column))), 0, 1)
        for (name, cpu), column in metrics.items()
        if name == idle
    ]
    if busy:
        columns["system.cpu.utilization.busiest"] = highest(busy)


def _memory(columns: dict[str, Column], metrics: Mapping[Key, Column]) -> None:
    """Memory by state and swap, as the sampler of this machine counts them."""
    state = "system.memory.usage{{system.memory.state={}}}".format
    cached, slab, swap, left = (metrics.get((name, None)) for name in _MEMORY)
    if cached is not None and slab is not None:
        columns[state("cached")] = cached + slab
        parts = [columns.get(state(name)) for name in ("free", "buffers", "cached")]
        known = [part for part in parts if part is not None]
        if len(known) == len(parts) and "system.memory.limit" in columns:
            columns[state("used")] = columns["system.memory.limit"] - np.sum(known, axis=0)
    if swap is not None and left is not None:
        some = np.where(swap > 0, swap, np.nan)
        columns["system.paging.usage{system.paging.state=used}"] = some - left
        columns["system.paging.utilization"] = (some - left) / some
    kinds = "system.paging.faults{{system.paging.fault.type={}}}".format
    if "system.paging.faults" in columns and kinds("major") in columns:
        minor = columns["system.paging.faults"] - columns[kinds("major")]
        columns[kinds("minor")] = np.maximum(minor, 0)
    page = metrics.get(("hinv.pagesize", None))
    refaults = [metrics[name, None] for name in _REFAULTS if (name, None) in metrics]
    if page is not None and refaults:
        columns["system.linux.memory.refaults"] = refaults[0] * page


def _disks(columns: dict[str, Column], metrics: Mapping[Key, Column]) -> None:
    """Each disk's counters, and the host's: sums over its real disks, the mean busy share."""
    disks = dict.fromkeys(disk for name, disk in metrics if name in DISK and disk is not None)
    real = [disk for disk in disks if not disk.startswith(_STACKED)]
    for metric, family in DISK.items():
        found = {disk: metrics[metric, disk] for disk in disks if (metric, disk) in metrics}
        share = family == "system.disk.utilization"
        for disk, column in found.items():
            columns[instance_name(family, DEVICE, disk)] = (
                np.minimum(column, 1) if share else column
            )
        parts = [found[disk] for disk in real if disk in found]
        if parts and share:
            columns[family] = np.minimum(average(parts), 1)
            columns[f"{family}.busiest"] = np.minimum(highest(parts), 1)
        elif parts:
            columns[family] = total(parts)
    for family, (seconds, numbers) in _WAITS.items():
        for disk in disks:
            _put_wait(
                columns, instance_name(family, DEVICE, disk), metrics, seconds, numbers, [disk]
            )
        _put_wait(columns, family, metrics, seconds, numbers, real)


def _put_wait(
    columns: dict[str, Column],
    name: str,
    metrics: Mapping[Key, Column],
    seconds: tuple[str, ...],
    numbers: tuple[str, ...],
    disks: list[str],
) -> None:
    keys = [[(metric, disk) for metric in names for disk in disks] for names in (seconds, numbers)]
    if disks and all(key in metrics for part in keys for key in part):
        waited, done = (total([metrics[key] for key in part]) for part in keys)
        with np.errstate(invalid="ignore", divide="ignore"):
            columns[name] = np.where(done > 0, waited / done * _MS, np.nan)


def _links(columns: dict[str, Column], metrics: Mapping[Key, Column]) -> None:
    """Each interface's counters, and the host's: the sums over those that count."""
    counted = counted_links({link for name, link in metrics if name in LINK and link})
    for metric, family in LINK.items():
        found = {
            link: column for (name, link), column in metrics.items() if name == metric and link
        }
        speed = family == "system.network.speed"
        for link, column in found.items():
            if speed and link not in counted:
                continue
            known = (
                np.where((column > 0) & (column < _NO_SPEED), column, np.nan) if speed else column
            )
            columns.setdefault(instance_name(family, INTERFACE, link), known)
        parts = [column for link, column in found.items() if link in counted]
        if parts and not speed:
            columns[family] = total(parts)
