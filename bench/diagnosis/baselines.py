"""Other ways of reading the same counters: the rivals of the diagnosis.

- `thresholds`: rules of thumb for a machine, first that fires: memory full, CPU above 80%, a disk
  busy above 85% or slower than 25 ms, a network half full (the papers of 1998, PAL).
- `utilisation`: the busiest of the machine's resources against its nominal capacity.
- `correlation`: the counter of the server's side that goes best with the response time over the
  levels, by Pearson's r; the resource that it is of.

None of them considers the generator, or that a limit may be below the machine's capacity: that is
what they lack.
"""

import math
from collections.abc import Mapping, Sequence

from headcount.bundle.level import LevelResult

CPU, DISK = 0.8, 0.85
SLOW_MS = 25.0
NETWORK = 0.5
NOMINAL_BITS_S = 10e9
"""Of a network card, where the device does not say."""
LEAST_BUSY = 0.3
"""Below this utilisation nothing is called busy."""
FAMILIES = (
    (("system.cpu", "process.cpu", "cgroup.cpu", "cgroup.pressure{resource=cpu"), "cpu"),
    (("system.memory", "system.paging", "cgroup.memory", "process.memory"), "memory"),
    (("system.disk", "process.disk", "cgroup.pressure{resource=io"), "disk"),
    (("system.network", "socket"), "network"),
)


def _figures(level: LevelResult) -> Mapping[str, float]:
    return {name: counted.mean for name, counted in level.counters.get("sut", {}).items()}


def thresholds(levels: Sequence[LevelResult]) -> str:
    """The first rule of thumb that fires at the highest level."""
    at = _figures(levels[-1])
    if at.get("system.memory.utilization", 0) > 0.95:
        return "memory"
    if at.get("system.cpu.utilization", 0) > CPU:
        return "cpu"
    slow = at.get("system.disk.operation_time", 0) > SLOW_MS
    if at.get("system.disk.utilization.busiest", 0) > DISK or slow:
        return "disk"
    return "network" if _network(at) > NETWORK else "none"


def utilisation(levels: Sequence[LevelResult]) -> str:
    """The resource that is busiest at the highest level."""
    at = _figures(levels[-1])
    busy = {
        "cpu": at.get("system.cpu.utilization", 0.0),
        "memory": at.get("system.memory.utilization", 0.0),
        "disk": at.get("system.disk.utilization.busiest", 0.0),
        "network": _network(at),
    }
    most = max(busy, key=lambda name: busy[name])
    return most if busy[most] > LEAST_BUSY else "none"


def correlation(levels: Sequence[LevelResult]) -> str:
    """The resource of the counter that correlates best with the response time."""
    times = [level.total.mean_ms for level in levels]
    if len(levels) < 3 or any(time is None for time in times):
        return "unknown"
    best, found = 0.0, "unknown"
    for name in _figures(levels[-1]):
        values = [_figures(level).get(name) for level in levels]
        family = next((label for starts, label in FAMILIES if name.startswith(starts)), None)
        if family is None or any(value is None for value in values):
            continue
        strength = abs(_pearson([v for v in values if v is not None], [t or 0.0 for t in times]))
        if strength > best:
            best, found = strength, family
    return found


def _network(at: Mapping[str, float]) -> float:
    known = at.get("system.network.utilization.busiest")
    moved = [value for name, value in at.items() if name.startswith("system.network.io")]
    return max(moved, default=0.0) * 8 / NOMINAL_BITS_S if known is None else known


def _pearson(first: Sequence[float], second: Sequence[float]) -> float:
    mean_1, mean_2 = sum(first) / len(first), sum(second) / len(second)
    pairs = [(a - mean_1, b - mean_2) for a, b in zip(first, second, strict=True)]
    spread = math.sqrt(sum(a * a for a, _ in pairs) * sum(b * b for _, b in pairs))
    return sum(a * b for a, b in pairs) / spread if spread else 0.0


BASELINES = {"thresholds": thresholds, "utilisation": utilisation, "correlation": correlation}
