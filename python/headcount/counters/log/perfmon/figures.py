"""Columns of a Windows log as counters of the catalogue."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from headcount.counters.columns import Column
from headcount.counters.log.perfmon.names import Meaning, meanings
from headcount.counters.log.table import average, highest, per_second, total
from headcount.counters.naming import DEVICE, INTERFACE, instance_name

_TOTAL = "_total"
_NOT_A_LINK = re.compile("loopback|isatap|teredo|6to4|pseudo-interface")
_STACKED = re.compile(
    "multiplex|hyper-v.*virtu|virtu.*hyper-v|vethernet|tap-windows|wireguard|wan.miniport"
)
"""Virtual interfaces: their traffic is not the network's, or would count twice, and their speed is
arbitrary. Those stacked on others, such as a team, count in a log that has no others."""
_SAME_SHARE = 0.02
"""How far the mean of all CPUs may be from the total, which is sampled at a slightly other time."""
_PERCENT = 100.0
_SPEED = "system.network.speed"

Instances = Mapping[str | None, Column]
"""The columns of one counter of one object by instance; the key is None without instances."""


@dataclass(slots=True)
class Figures:
    """The counters of one machine.

    Attributes:
        columns: By the catalogue's names.
        notes: What was assumed.

    """

    columns: dict[str, Column] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def figures(log: Mapping[tuple[str, str], Instances], times_s: Column) -> Figures:
    """Name the columns of a log, by English object and counter, as the catalogue does."""
    result = Figures()
    for meaning in meanings():
        present = [name for name in meaning.objects if (name, meaning.counter) in log]
        if not present or (meaning.gives and meaning.gives in result.columns):
            continue
        found = {name: log[name, meaning.counter] for name in present}
        if meaning.instances == "none":
            parts = [column for one in found.values() for column in one.values()]
            column = total(parts) if meaning.together else parts[0]
            _put(result, meaning, column, times_s)
            continue
        for name in reversed(present):
            # A disk and the volumes on it are different instances. The better object comes last,
            # so that it sets the host's figure.
            _instances(result, meaning, name, found[name], times_s)
    _kernel(result.columns)
    return result


def _kernel(columns: dict[str, Column]) -> None:
    """Time in the kernel without interrupts and deferred calls, which Windows includes."""
    mode = "system.cpu.utilization{{cpu.mode={}}}".format
    names = ("system.windows.cpu.privileged", mode("interrupt"), mode("softirq"))
    if all(name in columns for name in names):
        privileged, interrupt, deferred = (columns[name] for name in names)
        columns[mode("system")] = np.maximum(privileged - interrupt - deferred, 0.0)


def _instances(
    result: Figures, meaning: Meaning, name: str, found: Instances, times_s: Column
) -> None:
    given = [column for instance, column in found.items() if _plain(instance) == _TOTAL]
    single = {
        instance: column
        for instance, column in found.items()
        if instance is not None
        and not _plain(instance).endswith(_TOTAL)
        and _counts(name, instance)
    }
    links = _counted(meaning, single)
    attribute = {"device": DEVICE, "interface": INTERFACE}.get(meaning.instances)
    if attribute is not None:
        speed = meaning.gives == _SPEED
        for instance, column in (links if speed else single).items():
            _put(result, meaning, column, times_s, attribute, instance)
    leaves = list(links.values())
    leaves += [column for instance, column in found.items() if instance is None]
    host = given[0] if given else _without_total(meaning, leaves)
    if not given and host is not None and len(leaves) > 1 and meaning.without_total == "mean":
        result.notes.append(
            f"{name}: the log has no _Total of {meaning.counter}; used the mean of its "
            f"{len(leaves)} instances."
        )
    if host is not None:
        _put(result, meaning, host, times_s)
    if meaning.highest and leaves:
        result.columns[meaning.highest] = _scaled_column(meaning, _worst(meaning, leaves))
    if meaning.count and given and _all_there(list(single), leaves, given[0]):
        result.columns[meaning.count] = np.full(len(times_s), float(len(leaves)))


def _without_total(meaning: Meaning, leaves: list[Column]) -> Column | None:
    """The host's figure if the log lacks _Total."""
    if not leaves or meaning.without_total == "never":
        return None
    if meaning.without_total == "sum":
        return total(leaves)
    if meaning.without_total == "mean":
        return average(leaves)
    return leaves[0] if len(leaves) == 1 else None


def _worst(meaning: Meaning, leaves: list[Column]) -> Column:
    """The largest figure, before scaling; the smallest for a complement."""
    if not meaning.complement:
        return highest(leaves)
    least: Column = np.fmin.reduce(np.vstack(leaves))
    return least


def _all_there(instances: list[str], leaves: list[Column], given: Column) -> bool:
    """Whether the log has all instances: numbered without a gap, and with the mean of the total.

    A log may have the total and one CPU of many. An instance of `Processor Information` is the
    number of its group and its own.
    """
    if not leaves or not all(re.fullmatch(r"\d+(?:,\d+)*", name) for name in instances):
        return False
    numbers = sorted(tuple(int(part) for part in name.split(",")) for name in instances)
    groups = [list(members) for _, members in groupby(numbers, key=lambda number: number[:-1])]
    gapless = all([number[-1] for number in group] == list(range(len(group))) for group in groups)
    apart = np.abs(average(leaves) - given) / _PERCENT
    apart = apart[~np.isnan(apart)]
    return gapless and apart.size > 0 and bool(np.median(apart) <= _SAME_SHARE)


def _put(
    result: Figures,
    meaning: Meaning,
    column: Column,
    times_s: Column,
    attribute: str | None = None,
    instance: str | None = None,
) -> None:
    def name(family: str) -> str:
        if attribute is None or instance is None:
            return family
        return instance_name(family, attribute, instance)

    if meaning.gives:
        result.columns[name(meaning.gives)] = _scaled_column(meaning, column)
    if meaning.rate:
        result.columns[name(meaning.rate)] = per_second(column, times_s)


def _scaled_column(meaning: Meaning, column: Column) -> Column:
    scaled = column * meaning.scale
    if meaning.complement:
        # Idle time can be slightly above 100% because two clocks differ.
        scaled = np.clip(1.0 - scaled, 0.0, 1.0)
    if meaning.positive:
        scaled = np.where(scaled > 0, scaled, np.nan)
    return scaled


def _counts(name: str, instance: str) -> bool:
    """Whether an instance counts: blocking work queues of the server do not."""
    plain = _plain(instance)
    return name != "Server Work Queues" or "blocking" not in plain.replace("nonblocking", "")


def _counted(meaning: Meaning, instances: Mapping[str, Column]) -> Mapping[str, Column]:
    """The instances that add up to the host's figure."""
    if meaning.instances != "interface":
        return instances

    def without(names: re.Pattern[str], found: Mapping[str, Column]) -> dict[str, Column]:
        return {
            instance: column
            for instance, column in found.items()
            if names.search(_plain(instance)) is None
        }

    links = without(_NOT_A_LINK, instances)
    return without(_STACKED, links) or links


def _plain(instance: str | None) -> str:
    return (instance or "").strip().casefold()
