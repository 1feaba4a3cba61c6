"""sadf's samples as counters, one by one with plain numbers: the oracle of the reader's columns."""

from collections.abc import Iterable, Mapping
from typing import Any

from headcount.counters.log.sysstat.figures import (
    _DETAILED,
    _DISK,
    _LINK,
    _LINK_ERRORS,
    _MODES,
    _PARTS,
    _STACKED,
)
from headcount.counters.naming import DEVICE, INTERFACE
from headcount.counters.naming import instance_name as _instance

Figure = Mapping[str, Any]
Names = tuple[tuple[str, str, float], ...]
_NUMBER = (int, float)
_KIB = 1024.0
_PERCENT = 0.01


def figures(sample: Figure) -> dict[str, float]:
    """The counters of one sample of sadf's JSON."""
    values: dict[str, float] = {}
    for section, content in sample.items():
        for part, names in _PARTS.get(section, ()):
            if isinstance(content, dict):
                figure = content if part is None else content.get(part)
                if isinstance(figure, dict):
                    _add_named(values, figure, names)
    faults = values.get("system.paging.faults")
    major = values.get("system.paging.faults{system.paging.fault.type=major}")
    if faults is not None and major is not None:
        values["system.paging.faults{system.paging.fault.type=minor}"] = max(0.0, faults - major)
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
        if isinstance(used, int | float):
            name = _instance("system.filesystem.utilization", DEVICE, str(system["filesystem"]))
            values[name] = used * _PERCENT
    return values


def _section(sample: Figure, name: str) -> Figure:
    found = sample.get(name)
    return found if isinstance(found, dict) else {}


def _list(sample: Figure, name: str) -> list[Figure]:
    found = sample.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _named(figure: Figure, names: Names) -> dict[str, float]:
    """The counters of a section; where two fields are one counter, the first that is there."""
    values: dict[str, float] = {}
    _add_named(values, figure, names)
    return values


def _add_named(values: dict[str, float], figure: Figure, names: Names) -> None:
    """Add the counters of a section that are not there yet."""
    for key, name, factor in names:
        if key in figure and name not in values:
            value = figure[key]
            if isinstance(value, _NUMBER):
                values[name] = value * factor


def _memory(values: dict[str, float], memory: Figure) -> None:
    """The memory there is, which sar does not say directly.

    What "used" means changed in sysstat 11.7.1: before, buffers and caches were part of it. The
    percentage beside it shows which one a file has.
    """
    try:
        free, used = float(memory["memfree"]), float(memory["memused"])
        percent = float(memory["memused-percent"])
        caches = sum(float(memory[name]) for name in ("buffers", "cached", "slab"))
    except KeyError:
        return
    totals = (free + used + caches, free + used)
    limit = min(totals, key=lambda total: abs(100.0 * used / total - percent) if total else 1e9)
    values["system.memory.limit"] = limit * _KIB


def _swap(values: dict[str, float], memory: Figure) -> None:
    """The swap in use, if there is any swap."""
    swap = memory.get("swpused")
    if "swpused-percent" not in memory:
        return
    if isinstance(swap, int | float) and swap + float(memory.get("swpfree", 0)) > 0:
        values["system.paging.usage{system.paging.state=used}"] = swap * _KIB
        values["system.paging.utilization"] = float(memory["swpused-percent"]) * _PERCENT


def _cpus(values: dict[str, float], cpus: list[Figure]) -> None:
    singles, everything = [], None
    for cpu in cpus:
        if cpu.get("cpu") not in {"all", -1}:
            singles.append(cpu)
        elif everything is None:
            everything = cpu
    if everything is not None:
        for name, field, more in _DETAILED if "usr" in everything else _MODES:
            if field in everything:
                share = float(everything[field])
                if more is not None:
                    share += float(everything.get(more, 0))
                values[name] = share * _PERCENT
        values["system.cpu.utilization"] = _busy(everything)
    if singles:
        values["system.cpu.utilization.busiest"] = max(_busy(cpu) for cpu in singles)


def _busy(cpu: Figure) -> float:
    share = 1 - (float(cpu["idle"]) + float(cpu.get("iowait", 0))) * _PERCENT
    # In this order what is not a number stays so: it is absent, not an idle CPU.
    return min(max(share, 0.0), 1.0)


def _disks(values: dict[str, float], disks: list[Figure]) -> None:
    """Each disk's counters, and the host's over its real disks."""
    real: list[dict[str, float]] = []
    for disk in disks:
        name = str(disk.get("disk-device", ""))
        named = _named(disk, _DISK)
        if not named.get("system.disk.operations"):
            named.pop("system.disk.operation_time", None)
        for family, one in named.items():
            values[_instance(family, DEVICE, name)] = one
        if not name.startswith(_STACKED):
            real.append(named)
    if len(real) == 1:
        _one_disk(values, real[0])
    elif real:
        _several_disks(values, real)


def _several_disks(values: dict[str, float], real: list[dict[str, float]]) -> None:
    """The host's figures where it has several.

    Its reads, writes and bytes are sysstat's own, its queue is the sum, its busy share the mean,
    its wait that of all operations.
    """
    for family in {name for disk in real for name in disk}:
        parts = [disk[family] for disk in real if family in disk]
        if family == "system.disk.utilization":
            values[family] = sum(parts) / len(parts)
            values[f"{family}.busiest"] = max(parts)
        elif family != "system.disk.operation_time":
            values.setdefault(family, sum(parts))
    done = [
        (disk["system.disk.operations"], disk["system.disk.operation_time"])
        for disk in real
        if "system.disk.operation_time" in disk
    ]
    operations = sum(number for number, _ in done)
    if operations > 0:
        waited = sum(number * wait for number, wait in done)
        values["system.disk.operation_time"] = waited / operations


def _one_disk(values: dict[str, float], disk: Mapping[str, float]) -> None:
    """The host's figures where it has one disk: the disk's."""
    for family, one in disk.items():
        if family == "system.disk.utilization":
            values[family] = values[f"{family}.busiest"] = one
        elif family == "system.disk.operation_time":
            values[family] = one
        else:
            values.setdefault(family, one)


def _links(values: dict[str, float], links: Iterable[Figure], names: Names) -> None:
    """Each interface's counters, and the host's: the sums without the loopback."""
    host: dict[str, float] = {}
    for link in links:
        name = str(link.get("iface", ""))
        for family, value in _named(link, names).items():
            use = family == "system.network.utilization"
            if name != "lo" or not use:
                values[_instance(family, INTERFACE, name)] = value
            if name == "lo":
                continue
            if use:
                host[f"{family}.busiest"] = max(host.get(f"{family}.busiest", 0.0), value)
            else:
                host[family] = host.get(family, 0.0) + value
    values |= host
