"""What a scenario costs the server: CPU time, and bytes of disks and network."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headcount.bundle.level import LevelResult

_RECEIVED = "system.network.io{network.io.direction=receive}"
_SENT = "system.network.io{network.io.direction=transmit}"
LEAST_BYTES = 1.0
"""Fewer bytes per scenario are the noise of other programs, and their ratio means nothing."""


@dataclass(frozen=True, slots=True)
class Source:
    """Counters of the server's side that add up to a use per second."""

    names: tuple[str, ...]
    factor: str | None = None

    @property
    def all(self) -> tuple[str, ...]:
        """Every counter that it needs."""
        return (*self.names, self.factor) if self.factor else self.names

    def __call__(self, level: LevelResult) -> float:
        """The mean over a level."""
        counters = level.counters["sut"]
        used = sum(counters[name].mean for name in self.names)
        return used * (counters[self.factor].mean if self.factor else 1.0)

    def of_second(self, second: Mapping[str, Any]) -> float | None:
        """The use in one second; None if it was not counted."""
        counters = second["counters"].get("sut", {})
        if any(counters.get(name) is None for name in self.all):
            return None
        used = float(sum(counters[name] for name in self.names))
        return used * counters[self.factor] if self.factor else used


_CPU = [Source(("cgroup.cpu.utilization",)), Source(("process.cpu.utilization",))]
"""CPU of the server itself, in cores: of its control group, or of its processes."""
_READ, _WRITTEN = "disk.io{disk.io.direction=read}", "disk.io{disk.io.direction=write}"
_DISK = [
    Source((f"process.{_READ}", f"process.{_WRITTEN}")),
    Source((f"system.{_READ}", f"system.{_WRITTEN}")),
]
_NETWORK = Source((_RECEIVED, _SENT))
"""Network use of the machine without the loopback, which every other program may use as well."""
_WHOLE = Source(("system.cpu.utilization",), "system.cpu.logical.count")
"""CPU of the whole machine, in cores."""


NAMES = frozenset(name for source in (*_CPU, *_DISK, _NETWORK, _WHOLE) for name in source.all)
"""Every counter that a cost is read from."""


def each(level: LevelResult, *, alone: bool) -> dict[str, Source]:
    """The source of each cost of a level; costs that were not counted are absent.

    `alone`: whether the server has its machine to itself. If it shares it with the load generator,
    the CPU of the whole machine is not the server's, and the load's traffic passes the loopback,
    where it cannot be separated from that of others.
    """
    counters = level.counters.get("sut", {})
    cpu = [*_CPU, _WHOLE] if alone else _CPU
    candidates = {"cpu.each": cpu, "disk.each": _DISK, "network.each": [_NETWORK] if alone else []}
    found: dict[str, Source] = {}
    for metric, sources in candidates.items():
        there = [one for one in sources if all(name in counters for name in one.all)]
        if there and _is_measurable(metric, there[0], level):
            found[metric] = there[0]
    return found


def _is_measurable(metric: str, source: Source, level: LevelResult) -> bool:
    least = 0.0 if metric == "cpu.each" else LEAST_BYTES * level.achieved_per_s
    return source(level) > least
