"""Figures of sysstat as counters of the catalogue.

The figures: https://man7.org/linux/man-pages/man1/sar.1.html. Each is the mean over the interval
that ends at its time, except the gauges of memory, queues and file systems.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from headcount.counters.columns import Column
from headcount.counters.log.links import counted_links
from headcount.counters.log.table import highest
from headcount.counters.naming import DEVICE, INTERFACE, instance_name

Figure = Mapping[str, Any]
"""One section of a sample of sadf's JSON: a figure by its name."""

_KIB = 1024.0
_SECTOR = 512.0
_PERCENT = 0.01
_STACKED = ("loop", "ram", "zram", "dm-", "md", "sr", "fd", "nbd", "dev253-", "dev7-", "dev9-")
"""Disks stacked on others, or in memory. Old files name disks by number: 253 is the device mapper,
7 a loop device, 9 a RAID."""
_IN, _OUT = "{network.io.direction=receive}", "{network.io.direction=transmit}"
_READ, _WRITE = "{disk.io.direction=read}", "{disk.io.direction=write}"

Names = tuple[tuple[str, str, float], ...]
"""A field of sadf, its counter, and the factor for the catalogue's unit."""

HOST: Mapping[str, Names] = {
    "process-and-context-switch": (("cswch", "system.cpu.context_switches", 1),),
    "swap-pages": (
        ("pswpin", "system.paging.operations{system.paging.direction=in}", 1),
        ("pswpout", "system.paging.operations{system.paging.direction=out}", 1),
    ),
    "paging": (
        ("fault", "system.paging.faults", 1),
        ("majflt", "system.paging.faults{system.paging.fault.type=major}", 1),
    ),
    "io/io-reads": (
        ("rtps", f"system.disk.operations{_READ}", 1),
        ("bread", f"system.disk.io{_READ}", _SECTOR),
    ),
    "io/io-writes": (
        ("wtps", f"system.disk.operations{_WRITE}", 1),
        ("bwrtn", f"system.disk.io{_WRITE}", _SECTOR),
    ),
    "memory": (
        ("memfree", "system.memory.usage{system.memory.state=free}", _KIB),
        ("avail", "system.linux.memory.available", _KIB),
        ("buffers", "system.memory.usage{system.memory.state=buffers}", _KIB),
        ("commit", "system.memory.committed", _KIB),
        ("dirty", "system.linux.memory.dirty", _KIB),
    ),
    "queue": (
        ("runq-sz", "system.cpu.runnable", 1),
        ("ldavg-1", "system.cpu.load_average.1m", 1),
        ("blocked", "system.cpu.blocked", 1),
    ),
    "network/net-etcp": (("retrans", "system.network.tcp.retransmits", 1),),
    "psi/psi-cpu": (("some_avg", "system.linux.pressure{resource=cpu,kind=some}", _PERCENT),),
    "psi/psi-io": (
        ("some_avg", "system.linux.pressure{resource=io,kind=some}", _PERCENT),
        ("full_avg", "system.linux.pressure{resource=io,kind=full}", _PERCENT),
    ),
    "psi/psi-mem": (
        ("some_avg", "system.linux.pressure{resource=memory,kind=some}", _PERCENT),
        ("full_avg", "system.linux.pressure{resource=memory,kind=full}", _PERCENT),
    ),
}
_PARTS: Mapping[str, tuple[tuple[str | None, Names], ...]] = {
    section: tuple(
        (path.partition("/")[2] or None, names)
        for path, names in HOST.items()
        if path.partition("/")[0] == section
    )
    for section in dict.fromkeys(path.partition("/")[0] for path in HOST)
}
"""The same by section, as a sample has few sections."""
_DONE, _WAIT = "system.disk.operations", "system.disk.operation_time"
_USE = "system.disk.utilization"
_DISK: Names = (
    ("tps", _DONE, 1),
    ("rkB", f"system.disk.io{_READ}", _KIB),
    ("rd_sec", f"system.disk.io{_READ}", _SECTOR),
    ("wkB", f"system.disk.io{_WRITE}", _KIB),
    ("wr_sec", f"system.disk.io{_WRITE}", _SECTOR),
    ("aqu-sz", "system.disk.queue_length", 1),
    ("avgqu-sz", "system.disk.queue_length", 1),
    ("await", _WAIT, 1),
    ("util-percent", _USE, _PERCENT),
)
_LINK: Names = (
    ("rxpck", f"system.network.packet.count{_IN}", 1),
    ("txpck", f"system.network.packet.count{_OUT}", 1),
    ("rxkB", f"system.network.io{_IN}", _KIB),
    ("txkB", f"system.network.io{_OUT}", _KIB),
    ("ifutil-percent", "system.network.utilization", _PERCENT),
)
_LINK_ERRORS: Names = (
    ("rxerr", f"system.network.errors{_IN}", 1),
    ("txerr", f"system.network.errors{_OUT}", 1),
    ("rxdrop", f"system.network.packet.dropped{_IN}", 1),
    ("txdrop", f"system.network.packet.dropped{_OUT}", 1),
)


def figures(sample: Figure) -> dict[str, Column]:
    """The counters of samples of one shape; NaN if absent.

    Takes one sample of sadf's JSON in which each number is a column, as of
    :func:`~headcount.counters.log.sysstat.batch.batches`.
    """
    values: dict[str, Column] = {}
    for section, content in sample.items():
        for part, names in _PARTS.get(section, ()):
            if isinstance(content, dict):
                figure = content if part is None else content.get(part)
                if isinstance(figure, dict):
                    _add_named(values, figure, names)
    faults = values.get("system.paging.faults")
    major = values.get("system.paging.faults{system.paging.fault.type=major}")
    if faults is not None and major is not None:
        minor = np.maximum(0.0, faults - major)
        values["system.paging.faults{system.paging.fault.type=minor}"] = minor
    _memory(values, _section(sample, "memory"))
    _swap(values, _section(sample, "memory"))
    _cpus(values, _list(sample, "cpu-load"))
    for interrupt in _list(sample, "interrupts"):
        if interrupt.get("intr") == "sum":
            values |= _named(
                interrupt,
                (("all", "system.cpu.interrupts", 1), ("value", "system.cpu.interrupts", 1)),
            )
    _disks(values, _list(sample, "disk"))
    network = _section(sample, "network")
    _links(values, _list(network, "net-dev"), _LINK)
    _links(values, _list(network, "net-edev"), _LINK_ERRORS)
    for system in _list(sample, "filesystems"):
        used = system.get("%fsused")
        if isinstance(used, np.ndarray):
            name = _instance("system.filesystem.utilization", DEVICE, str(system["filesystem"]))
            values[name] = used * _PERCENT
    return values


def unknown(sample: Figure) -> list[str]:
    """The sections of a sample that have no name in the catalogue."""
    used = {*HOST, "cpu-load", "interrupts", "disk", "network/net-dev", "network/net-edev"}
    used |= {"filesystems", "timestamp", "io/io-discard"}
    found = []
    for name, section in sample.items():
        parts = section if name in {"network", "psi", "io"} and isinstance(section, dict) else None
        paths = (
            [name]
            if parts is None
            else [
                f"{name}/{part}"
                for part, figure in parts.items()
                if isinstance(figure, dict | list)
            ]
        )
        found += [path for path in paths if path not in used]
    return found


_instance = lru_cache(maxsize=10_000)(instance_name)
"""Cached, because all samples of a log have the same names."""


def _section(sample: Figure, name: str) -> Figure:
    found = sample.get(name)
    return found if isinstance(found, dict) else {}


def _list(sample: Figure, name: str) -> list[Figure]:
    found = sample.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _named(figure: Figure, names: Names) -> dict[str, Column]:
    """The counters of a section; if two fields give one counter, the first that is present."""
    values: dict[str, Column] = {}
    _add_named(values, figure, names)
    return values


def _add_named(values: dict[str, Column], figure: Figure, names: Names) -> None:
    """Add the counters of a section that are not present yet."""
    for key, name, factor in names:
        if key in figure and name not in values:
            value = figure[key]
            if isinstance(value, np.ndarray):
                values[name] = value * factor


def _number(value: Any) -> Column:
    """A figure that must be a number, as a column; raises the errors of `float` otherwise."""
    return value if isinstance(value, np.ndarray) else np.array([float(value)])


def _memory(values: dict[str, Column], memory: Figure) -> None:
    """Add total memory, which sar does not report directly.

    The meaning of "used" changed in sysstat 11.7.1: before, it included buffers and caches. The
    percentage beside it shows which one a file has.
    """
    try:
        free, used = _number(memory["memfree"]), _number(memory["memused"])
        percent = _number(memory["memused-percent"])
        caches = sum((_number(memory[name]) for name in ("buffers", "cached", "slab")), np.zeros(1))
    except KeyError:
        return
    new, old = free + used + caches, free + used
    is_old = _away(used, old, percent) < _away(used, new, percent)
    values["system.memory.limit"] = np.where(is_old, old, new) * _KIB


def _swap(values: dict[str, Column], memory: Figure) -> None:
    """Add swap in use, which `-S` reports without the memory; absent without any swap."""
    swap = memory.get("swpused")
    if isinstance(swap, np.ndarray) and "swpused-percent" in memory:
        some = swap + _number(memory.get("swpfree", 0)) > 0
        if some.any():
            share = _number(memory["swpused-percent"]) * _PERCENT
            used_swap = np.where(some, swap * _KIB, np.nan)
            values["system.paging.usage{system.paging.state=used}"] = used_swap
            values["system.paging.utilization"] = np.where(some, share, np.nan)


def _away(used: Column, total: Column, percent: Column) -> Column:
    """The distance of a share of the total from a percentage."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total == 0, 1e9, np.abs(100.0 * used / total - percent))


def _modes(*fields: tuple[str, str, str | None]) -> tuple[tuple[str, str, str | None], ...]:
    """Counters of the CPUs' time: name, field of sar's, and one that is part of it."""
    return tuple(
        (f"system.cpu.utilization{{cpu.mode={mode}}}", field, more) for mode, field, more in fields
    )


_REST = (
    ("idle", "idle", None),
    ("iowait", "iowait", None),
    ("interrupt", "irq", None),
    ("softirq", "soft", None),
    ("steal", "steal", None),
)
_MODES = _modes(
    ("user", "user", None), ("nice", "nice", "gnice"), ("system", "system", None), *_REST
)
_DETAILED = _modes(
    ("user", "usr", "guest"), ("nice", "nice", "gnice"), ("system", "sys", None), *_REST
)
"""The modes with `-u ALL`."""
IDENTITIES = frozenset({"cpu", "intr", "disk-device", "iface", "filesystem"})
"""Fields that identify what the others are about."""
SECTIONS = frozenset({*_PARTS, "cpu-load", "interrupts", "disk", "network", "filesystems"})
"""The sections of a sample that are read."""
FIELDS = frozenset(
    {
        *IDENTITIES,
        *(part for parts in _PARTS.values() for part, _ in parts if part is not None),
        *(field for names in (*HOST.values(), _DISK, _LINK, _LINK_ERRORS) for field, _, _ in names),
        *(field for _, *fields in (*_MODES, *_DETAILED) for field in fields if field is not None),
        *("net-dev", "net-edev", "all", "value", "%fsused"),
        *("memused", "memused-percent", "cached", "slab", "swpused", "swpfree", "swpused-percent"),
    }
)
"""The fields of sections that are read, whichever section they are of."""


def _cpus(values: dict[str, Column], cpus: list[Figure]) -> None:
    singles, everything = [], None
    for cpu in cpus:
        if cpu.get("cpu") not in {"all", -1}:
            singles.append(cpu)
        elif everything is None:
            everything = cpu
    if everything is not None:
        for name, field, more in _DETAILED if "usr" in everything else _MODES:
            if field in everything:
                share = _number(everything[field])
                if more is not None:
                    share = share + _number(everything.get(more, 0))
                values[name] = share * _PERCENT
        values["system.cpu.utilization"] = _busy(everything)
    if singles:
        values["system.cpu.utilization.busiest"] = highest([_busy(cpu) for cpu in singles])


def _busy(cpu: Figure) -> Column:
    share = 1 - (_number(cpu["idle"]) + _number(cpu.get("iowait", 0))) * _PERCENT
    # NaN stays NaN: an absent figure, not an idle CPU.
    return np.clip(share, 0.0, 1.0)


def _disks(values: dict[str, Column], disks: list[Figure]) -> None:
    """Each disk's counters, and the host's over its real disks."""
    real: list[dict[str, Column]] = []
    for disk in disks:
        name = str(disk.get("disk-device", ""))
        named = _named(disk, _DISK)
        if _WAIT in named and _DONE in named:
            named[_WAIT] = np.where(named[_DONE] == 0, np.nan, named[_WAIT])
        else:
            named.pop(_WAIT, None)
        for family, one in named.items():
            values[_instance(family, DEVICE, name)] = one
        if not name.startswith(_STACKED):
            real.append(named)
    if len(real) == 1:
        _one_disk(values, real[0])
    elif real:
        _several_disks(values, real)


def _several_disks(values: dict[str, Column], real: list[dict[str, Column]]) -> None:
    """The host's figures if it has several disks.

    Its reads, writes and bytes are sysstat's own, its queue is the sum, its busy share the mean,
    its wait that of all operations.
    """
    for family in dict.fromkeys(name for disk in real for name in disk):
        parts = [disk[family] for disk in real if family in disk]
        if family == _USE:
            values[family] = sum(parts[1:], parts[0]) / len(parts)
            values[f"{family}.busiest"] = highest(parts)
        elif family != _WAIT:
            values.setdefault(family, sum(parts[1:], parts[0]))
    done = [
        (np.where(np.isnan(disk[_WAIT]), 0.0, disk[_DONE]), np.nan_to_num(disk[_WAIT]))
        for disk in real
        if _WAIT in disk
    ]
    if done:
        operations = np.sum([number for number, _ in done], axis=0)
        waited = np.sum([number * wait for number, wait in done], axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            values[_WAIT] = np.where(operations > 0, waited / operations, np.nan)


def _one_disk(values: dict[str, Column], disk: Mapping[str, Column]) -> None:
    """The host's figures if it has one disk: those of the disk."""
    for family, one in disk.items():
        if family == _USE:
            values[family] = values[f"{family}.busiest"] = one
        elif family == _WAIT:
            values[family] = one
        else:
            values.setdefault(family, one)


def _links(values: dict[str, Column], links: Sequence[Figure], names: Names) -> None:
    """Each interface's counters, and the host's: the sums over those that count."""
    host: dict[str, Column] = {}
    counted = counted_links([str(link.get("iface", "")) for link in links])
    for link in links:
        name = str(link.get("iface", ""))
        for family, value in _named(link, names).items():
            use = family == "system.network.utilization"
            if name in counted or not use:
                values[_instance(family, INTERFACE, name)] = value
            if name not in counted:
                continue
            if use:
                busiest = f"{family}.busiest"
                host[busiest] = np.fmax(host.get(busiest, 0.0), value)
            else:
                host[family] = host[family] + value if family in host else value
    values |= host
